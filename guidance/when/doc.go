// Package when reads periods of impact out of a provider's prose.
//
// One pass lowers the text into a buffer of the same length, so that every offset stays valid in the original; a second
// cuts it into tokens (words of a closed vocabulary, clock times, dates, zones, durations); a third groups neighbouring
// times, dates and zones into points. Points become ranges where range words join them; a lone point gets a role from
// the words of its clause (onset, recovery, work in progress, next update, estimate). Ranges and paired bounds are then
// anchored in absolute time, scoped by the regions named beside them, and merged.
//
// All of it is linear in the length of the text, pure, and independent of the machine's clock and zone: zones are civil
// rules of our own table, so that "PST" in August means the wall clock of the West Coast.
package when
