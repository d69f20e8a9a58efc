// SPDX-License-Identifier: Apache-2.0

/// A reference of an imported object to an object that does not exist.
///
/// The import of the destination connects the objects, and then removes the reference; if a program or another
/// connection inserts the destination, the transaction that saves it does. An import that sets the relationship
/// again replaces it, and so does one that gives the owner another object. A program that sets the relationship,
/// also to no object, removes it, and so does deleting the owner. Of several references to an object that
/// can have one owner only, the newest is kept. The relationship of a destination that has another value by
/// then keeps it, and so does one of which the destination's own document has null, or a list without the
/// owner.
public struct PendingReference: Sendable, Hashable {
    /// The object with the relationship.
    public let owner: ManagedObjectID
    /// The name of the relationship.
    public let relationship: String
    /// The name of the destination entity.
    public let destination: String
    /// The name of the attribute of the destination that has the identity.
    public let attribute: String
    /// The identity of the destination.
    public let identity: StoredValue
    /// The position of the destination in an ordered relationship; `nil` in any other.
    public let position: Int64?
}
