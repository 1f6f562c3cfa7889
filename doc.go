// Package downwind holds the words of the field: providers and their sources, components, incidents and their
// updates, changes between two readings, impact and replay windows, stacks, teams, subscriptions and deliveries.
//
// It imports the standard library only and does no I/O. Everything else in the module speaks in these types.
// All times are UTC; a zero time means "not stated" and is null in JSON. Text that comes from a provider is hostile
// until it has passed the one escaping function of the sink it goes to.
package downwind
