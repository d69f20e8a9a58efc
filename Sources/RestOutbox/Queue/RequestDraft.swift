// SPDX-License-Identifier: Apache-2.0

package import RestRows

/// The content of a request before it is written.
package struct RequestDraft: Sendable, Hashable {
    package let object: EditedObject
    package let kind: OutboxEntry.Kind
    /// The number of the entry.
    package let sequence: Int64
    /// The identity of the object on the server; `nil` for a creation.
    package let identity: StoredValue?
    /// The version that the request is based on.
    package let version: Int64?
    /// The values; a reference is the identity of its destination on the server.
    package let values: ObjectImage
}
