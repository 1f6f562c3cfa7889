// Package chat understands what people type, click and upload, and answers them, without knowing on which platform.
//
// Parse turns the text of a command into a Command; ParseOptions does the same for named options. Handler carries
// commands and clicks out against small interfaces and answers in notify.Message. The folders of the platforms
// bring requests in and answers out.
//
// Promises: everything can be repeated without harm; each change is announced with its actor and everything else is
// private; each click is authorised again; uploaded bytes are read and dropped, names alone are kept; what a person
// typed is shown back as foreign text only.
package chat
