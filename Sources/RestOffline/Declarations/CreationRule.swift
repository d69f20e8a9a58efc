// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestOutbox
public import RestPersistence

/// The remedy if the answer to the creation of an object is lost, so that it is not known whether the server has
/// the object.
public struct CreationRule: Sendable {
    let remedy: CreationRemedy
    /// The name of the header field of the key; `nil` for none.
    private(set) var field: String?
    /// A Boolean value that indicates whether the key is a quoted string.
    private(set) var isQuoted = true

    private init(_ remedy: CreationRemedy) { self.remedy = remedy }

    /// The request is not sent again: the entry is uncertain until the user decides, or a list brings the object.
    public static let atMostOnce = CreationRule(.atMostOnce)

    /// The request is a PUT to the path of the identity that the program has chosen, with `If-None-Match: *`.
    ///
    /// The server then has at most one object, however often the request arrives.
    public static let clientIdentity = CreationRule(.clientIdentity)

    /// Returns a rule by which the request is sent again with the same key, as long as the server remembers it.
    ///
    /// - Parameters:
    ///   - field: The header field of the key.
    ///   - lifetime: The time for which the server remembers a key.
    ///   - isQuoted: A Boolean value that indicates whether the key is a quoted string, as the draft of the IETF
    ///     requires, or bare text.
    /// - Returns: The rule.
    /// - Source: draft-ietf-httpapi-idempotency-key-header.
    public static func idempotencyKey(
        field: String = "Idempotency-Key", lifetime: Duration, isQuoted: Bool = true
    ) -> CreationRule {
        var rule = CreationRule(.idempotencyKey(lifetime: lifetime))
        rule.field = field
        rule.isQuoted = isQuoted
        return rule
    }

    var isOfClientIdentity: Bool { remedy == .clientIdentity }
}

/// The condition under which a server executes an update or a deletion.
public struct Precondition<Object: ManagedEntity>: Sendable {
    let property: String?
    let isField: Bool

    private init(_ property: String?, isField: Bool = false) {
        self.property = property
        self.isField = isField
    }

    /// The absence of a condition: the request replaces what others have written since.
    public static var none: Precondition { Precondition(nil) }

    /// Returns the condition that the object has the version on which the edit is based.
    ///
    /// An answer with status 412 is a conflict: the object is read, the edits are merged with it, and the request
    /// is made anew.
    ///
    /// - Parameters:
    ///   - path: An integer attribute with the version, which the server counts.
    ///   - isField: A Boolean value that indicates whether the version is sent as the strong tag of `If-Match`,
    ///     and not as the property of the body.
    /// - Returns: The condition.
    public static func version<Value>(
        _ path: any KeyPath<Object, Value> & Sendable, inIfMatch isField: Bool = false
    ) -> Precondition {
        let properties = Object.properties
        let index = properties.index(of: path as AnyKeyPath)
        return Precondition(index.map { properties.properties[$0].name } ?? "", isField: isField)
    }
}
