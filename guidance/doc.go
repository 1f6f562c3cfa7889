// Package guidance tells what the posts of an incident mean: when it really was, and what to do about it.
//
// The prose comes first, page clocks second and labelled. Package when reads the periods of impact; this package reads
// what else a post says (phase, categories, regions, components, the provider's own instructions, data loss, effects that
// outlive the impact), joins all posts of one incident into the windows that stand now, and words advice by category,
// phase and what a team's stack shows. Everything here is pure: no I/O, no clock, no map order in the output.
package guidance
