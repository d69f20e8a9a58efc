// SPDX-License-Identifier: Apache-2.0

import RestMapping
import RestOutbox
public import RestPersistence

/// The remedy if the answer to the creation of an object is lost, so that it is not known whether the server has
/// the object.
public struct CreationRule: Sendable {
    let remedy: CreationRemedy
    /// The part of the request with the key; `nil` for no key.
    private(set) var keyPlace: IdempotencyKeyPlace?
    /// The search for an object whose creation is uncertain; `nil` for none.
    private(set) var recognizer: Recognizer?

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
        rule.keyPlace = .field(field, isQuoted: isQuoted)
        return rule
    }

    /// Returns a rule by which the request is sent again with the same key in its body, as long as the server
    /// remembers it.
    ///
    /// - Parameters:
    ///   - member: The name of the member of the JSON object of the body with the key.
    ///   - lifetime: The time for which the server remembers a key.
    /// - Returns: The rule.
    public static func idempotencyKey(member: String, lifetime: Duration) -> CreationRule {
        var rule = CreationRule(.idempotencyKey(lifetime: lifetime))
        rule.keyPlace = .member(member)
        return rule
    }

    /// Returns a rule by which the server is searched for the object, before the request is sent again.
    ///
    /// ```swift
    /// Sends(Note.self).creation(.recognized(by: \Note.reference, at: "notes"))
    /// ```
    ///
    /// The search is `GET notes?reference=…`. If one object of the response has the value, the new object adopts it.
    /// That the server does not have it yet proves nothing while the first request may still be executed: the request
    /// is sent again once ``OutboxConfiguration/longestRequestLife`` has passed since the last send.
    ///
    /// - Parameters:
    ///   - path: An attribute whose value the program chooses and no other object has, and which is sent.
    ///   - collection: The path of the list that is searched.
    ///   - parameter: The query parameter with the value; the name of the attribute by default.
    ///   - probeCount: The number of searches with growing delay while the request may still be executed.
    /// - Returns: The rule.
    public static func recognized<Object: ManagedEntity, Value>(
        by path: any KeyPath<Object, Value> & Sendable, at collection: String,
        parameter: String? = nil, probeCount: Int = 3
    ) -> CreationRule {
        let properties = Object.properties
        let name =
            properties.index(of: path as AnyKeyPath).map { properties.properties[$0].name } ?? ""
        var rule = CreationRule(.recognized(probeCount: max(1, probeCount)))
        rule.recognizer = Recognizer(
            property: name, collection: collection, parameter: parameter ?? name)
        return rule
    }

    /// The search for an object by the value of an attribute.
    struct Recognizer: Sendable {
        let property: String
        let collection: String
        let parameter: String
    }

    var isOfClientIdentity: Bool { remedy == .clientIdentity }
}
