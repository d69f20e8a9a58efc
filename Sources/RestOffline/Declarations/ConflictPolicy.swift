// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestOutbox
public import RestPersistence

/// The treatment of properties that the server has changed since they were edited, for any entity.
///
/// A property is in conflict if it has been edited, and the server has neither the value before the edit nor the
/// edited one. Members of to-many relationships are not in conflict: what both sides have added is added, and what
/// they have removed is removed.
public struct ConflictPolicy: Sendable {
    let policy: EditPolicy

    /// The edit stays, and is sent.
    public static let local = ConflictPolicy(policy: .contextWins)
    /// The value of the server stays, and the edit is discarded.
    public static let server = ConflictPolicy(policy: .storeWins)
    /// The object follows the server, and a new object has the edits.
    public static let fork = ConflictPolicy(policy: .fork)
    /// The entry waits for the user, in state ``SyncState/conflicted``.
    public static let user = ConflictPolicy(policy: .fail)
}

/// The treatment of properties that the server has changed since they were edited, for an entity.
public struct ObjectConflictPolicy<Object: ManagedEntity>: Sendable {
    let policy: @Sendable (EntityLayout) throws(OutboxError) -> EditPolicy

    private init(_ policy: EditPolicy) {
        self.policy = { (_) throws(OutboxError) in policy }
    }

    private init(_ policy: @escaping @Sendable (EntityLayout) throws(OutboxError) -> EditPolicy) {
        self.policy = policy
    }

    /// The edit stays, and is sent.
    public static var local: Self { Self(.contextWins) }
    /// The value of the server stays, and the edit is discarded.
    public static var server: Self { Self(.storeWins) }
    /// The object follows the server, and a new object has the edits.
    ///
    /// The entity needs an identity that the server gives: a new object has none.
    public static var fork: Self {
        Self { (layout) throws(OutboxError) in
            if layout.identity.allSatisfy({ !layout.columns[$0].isRequired }) { return .fork }
            throw OutboxError(
                .invalidDeclaration,
                "\(layout.name) cannot be forked, because a new object needs an identity of its own"
            )
        }
    }
    /// The entry waits for the user, in state ``SyncState/conflicted``.
    public static var user: Self { Self(.fail) }

    /// Returns the policy by which the later of both sides wins, for each property in conflict.
    ///
    /// ```swift
    /// Sends(Note.self).merging(.newer(\.updatedAt))
    /// ```
    ///
    /// The program sets the time with each edit, and the server has it in the representation. If the times are
    /// equal, the server wins.
    ///
    /// - Parameter path: An attribute with the time or the number of the last change, which is sent.
    /// - Returns: The policy.
    public static func newer<Value: AttributeValue & Comparable & SendableMetatype>(
        _ path: any KeyPath<Object, Value> & Sendable
    ) -> Self {
        newer(path as AnyKeyPath) { Value(storedValue: $0) }
    }

    /// Returns the policy by which the later of both sides wins; a side without a time loses.
    ///
    /// - Parameter path: An attribute with the time or the number of the last change, which is sent.
    /// - Returns: The policy.
    public static func newer<Value: AttributeValue & Comparable & SendableMetatype>(
        _ path: any KeyPath<Object, Value?> & Sendable
    ) -> Self {
        newer(path as AnyKeyPath) { $0.isNull ? nil : Value(storedValue: $0) }
    }

    private static func newer<Value: Comparable & SendableMetatype>(
        _ path: AnyKeyPath, _ value: @escaping @Sendable (StoredValue) -> Value?
    ) -> Self {
        let properties = Object.properties
        let name = properties.index(of: path).map { properties.properties[$0].name }
        return Self { (layout) throws(OutboxError) in
            guard let name, layout.column(ofProperty: name) != nil else {
                throw OutboxError(
                    .invalidDeclaration, "the time of \(layout.name) is not one of its attributes")
            }
            var policy = EditPolicy.storeWins
            policy.object = { images in
                let local = images.local[name].flatMap(value)
                let server = images.server[name].flatMap(value)
                let isLocal = local.map { local in server.map { $0 < local } ?? true } ?? false
                return (isLocal ? images.local : images.server)
                    .filter { images.contested.contains($0.key) }
            }
            return policy
        }
    }

    /// Returns the policy by which a function decides about the whole object, if a property of it is in conflict.
    ///
    /// ```swift
    /// Sends(Counter.self).merging(.merge { base, local, server in
    ///     var merged = server
    ///     merged.total = (server.total ?? 0) + (local.total ?? 0) - (base.total ?? 0)
    ///     return merged
    /// })
    /// ```
    ///
    /// - Parameter combine: A function that returns the values to keep, from what the server had, what the store
    ///   shows and what the server has. Values that differ from those of the server are edits, and are sent. It
    ///   runs in the transaction that merges, on any thread.
    /// - Returns: The policy.
    public static func merge(
        _ combine:
            @escaping @Sendable (
                _ base: MergedImage<Object>, _ local: MergedImage<Object>,
                _ server: MergedImage<Object>
            ) -> MergedImage<Object>
    ) -> Self {
        var policy = EditPolicy.contextWins
        policy.object = { images in
            combine(
                MergedImage(images.base), MergedImage(images.local), MergedImage(images.server)
            ).image
        }
        return Self(policy)
    }
}

/// The treatment of one attribute that the server has changed since it was edited.
public struct PropertyConflictPolicy<Value: AttributeValue & SendableMetatype>: Sendable {
    let combine: PropertyCombination

    /// The edit stays, and is sent.
    public static var local: Self { Self { _, mine, _ in mine } }
    /// The value of the server stays, and the edit is discarded.
    public static var server: Self { Self { _, _, theirs in theirs } }

    /// Returns the policy by which a function decides.
    ///
    /// - Parameter combine: A function that returns the value to keep, from what the server had, what the store
    ///   shows and what the server has; `nil` to let the policy of the entity decide.
    /// - Returns: The policy.
    public static func merge(
        _ combine:
            @escaping @Sendable (_ base: Value, _ local: Value, _ server: Value) -> Value?
    ) -> Self {
        Self { base, mine, theirs in
            guard let base = Value(storedValue: base), let mine = Value(storedValue: mine),
                let theirs = Value(storedValue: theirs)
            else { return nil }
            return combine(base, mine, theirs)?.storedValue
        }
    }
}

extension PropertyConflictPolicy where Value == String {
    /// The policy by which the changes of both sides are applied to the text, word by word; see ``TextMerge``.
    ///
    /// If both sides have changed the same words, the policy of the entity decides.
    public static var text: Self {
        merge { base, local, server in TextMerge.merged(base: base, local: local, server: server) }
    }
}

/// The values of an object as one side of a merge has them.
@dynamicMemberLookup
public struct MergedImage<Object: ManagedEntity>: Sendable {
    var image: ObjectImage

    init(_ image: ObjectImage) { self.image = image }

    /// The value of an attribute; `nil` if the attribute is not sent.
    ///
    /// Setting an attribute that is not sent has no effect.
    public subscript<Value: AttributeValue>(
        dynamicMember path: KeyPath<Object, Value>
    ) -> Value? {
        get { Self.name(path).flatMap { image[$0] }.flatMap { Value(storedValue: $0) } }
        set {
            guard let name = Self.name(path), image[name] != nil, let newValue else { return }
            image[name] = newValue.storedValue
        }
    }

    private static func name(_ path: AnyKeyPath) -> String? {
        let properties = Object.properties
        return properties.index(of: path).map { properties.properties[$0].name }
    }
}
