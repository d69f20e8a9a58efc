// SPDX-License-Identifier: Apache-2.0

/// The requests of the objects of a context that are assembled or in progress.
struct ContextRequests {
    /// The values that the requests in progress have sent, of this context and of its children.
    var sent = SentRequests()
    /// The properties that are written into a request of an object; `nil` if nothing is assembled.
    var written: WrittenProperties?
    /// A Boolean value that indicates whether requests of the objects are compared and not sent, so that a
    /// value which cannot be read is a difference from any other.
    var writesUnreadableValues = false
}
