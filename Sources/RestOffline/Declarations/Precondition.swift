// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestMapping
import RestOutbox
public import RestPersistence
import RestTransport

/// The condition under which a server executes an update or a deletion.
///
/// An answer with status 412 is a conflict: the object is read, the edits are merged with it, and the request is
/// made anew, at most ``OutboxConfiguration/conflictLimit`` times.
///
/// | condition | the server tells it in | the request has it in |
/// |---|---|---|
/// | ``version(_:inIfMatch:)`` | an integer attribute | the body or `If-Match` |
/// | ``ifMatch(from:)`` | a text attribute | `If-Match` |
/// | ``ifMatch(orElse:)`` | `ETag` | `If-Match` |
/// | ``unmodifiedSince(_:)`` | a date attribute | `If-Unmodified-Since` |
/// | ``unmodifiedSince`` | `Last-Modified` | `If-Unmodified-Since` |
/// | ``compareFirst`` | the object, which is read before each request | nothing |
public struct Precondition<Object: ManagedEntity>: Sendable {
    let compiled: CompiledPrecondition

    /// The absence of a condition: the request replaces what others have written since.
    public static var none: Self { Self(compiled: .none) }

    /// Returns the condition that the object has the version on which the edit is based.
    ///
    /// - Parameters:
    ///   - path: An integer attribute with the version, which the server counts.
    ///   - isField: A Boolean value that indicates whether the version is sent as the strong tag of `If-Match`,
    ///     and not as the property of the body.
    /// - Returns: The condition.
    public static func version<Value>(
        _ path: any KeyPath<Object, Value> & Sendable, inIfMatch isField: Bool = false
    ) -> Self {
        let name = name(of: path as AnyKeyPath)
        return Self(compiled: isField ? .fieldVersion(name) : .bodyVersion(name))
    }

    /// Returns the condition that the object has the entity tag that its representation contained.
    ///
    /// A weak tag, which begins with `W/`, never matches `If-Match`: the object is then read before each request, as
    /// with ``compareFirst``.
    ///
    /// - Parameter path: A text attribute with the tag, with or without quotation marks.
    /// - Returns: The condition.
    /// - Source: RFC 9110 §13.1.1.
    public static func ifMatch<Value>(from path: any KeyPath<Object, Value> & Sendable) -> Self {
        Self(compiled: .tag(name(of: path as AnyKeyPath)))
    }

    /// The condition that the object has the entity tag of the last response to a request of the outbox for it.
    ///
    /// See ``ifMatch(orElse:)``.
    public static var ifMatch: Self { ifMatch(orElse: .compareFirst) }

    /// Returns the condition that the object has the entity tag of the last response to a request of the outbox for
    /// it.
    ///
    /// The outbox keeps the tags in the file of the store. Lists have no tags of their elements, so that an object
    /// without a tag is read first.
    ///
    /// - Parameter fallback: What happens if the response to that has a weak tag, which never matches `If-Match`, or
    ///   none.
    /// - Returns: The condition.
    /// - Source: RFC 9110 §13.1.1.
    public static func ifMatch(orElse fallback: WeakTagFallback) -> Self {
        Self(compiled: .ownTag(fallback))
    }

    /// Returns the condition that the object was not modified since a date that its representation contained.
    ///
    /// Dates of HTTP have a resolution of one second, so that two changes in a second are not distinguished.
    ///
    /// - Parameter path: A date attribute.
    /// - Returns: The condition.
    /// - Source: RFC 9110 §13.1.4.
    public static func unmodifiedSince<Value>(
        _ path: any KeyPath<Object, Value> & Sendable
    ) -> Self {
        Self(compiled: .date(name(of: path as AnyKeyPath)))
    }

    /// The condition that the object was not modified since the `Last-Modified` of the last response to a request of
    /// the outbox for it; an object without one is read first.
    ///
    /// - Source: RFC 9110 §13.1.4.
    public static var unmodifiedSince: Self { Self(compiled: .ownDate) }

    /// The object is read and merged before each request, which has no condition.
    ///
    /// It is for servers that know no condition. A change of others between the two requests is lost. A deletion is
    /// sent if the attributes that are sent are as they were when the object was deleted; otherwise the policy for
    /// conflicts decides about it as a whole.
    public static var compareFirst: Self { Self(compiled: .compareFirst) }

    private static func name(of path: AnyKeyPath) -> String {
        let properties = Object.properties
        return properties.index(of: path).map { properties.properties[$0].name } ?? ""
    }
}

/// The treatment of updates and deletions if the server has no strong entity tag for `If-Match`.
public struct WeakTagFallback: Sendable, Hashable {
    let isRefused: Bool

    /// The request is sent without a condition, right after the object was read and merged.
    public static let compareFirst = WeakTagFallback(isRefused: false)
    /// The entry is refused with ``OutboxProblem/Kind/invalidRequest``, and waits for the user.
    public static let refuse = WeakTagFallback(isRefused: true)
}

/// A precondition without the type of the object.
enum CompiledPrecondition: Sendable, Hashable {
    case none
    case bodyVersion(String)
    case fieldVersion(String)
    case tag(String)
    case ownTag(WeakTagFallback)
    case date(String)
    case ownDate
    case compareFirst

    /// The version of an object that has none, but was read just now.
    static let justRead = ObjectEdits.justRead

    /// The attribute with the version; `nil` for none.
    var property: String? {
        switch self {
        case .bodyVersion(let name), .fieldVersion(let name), .tag(let name), .date(let name): name
        case .none, .ownTag, .ownDate, .compareFirst: nil
        }
    }

    /// A Boolean value that indicates whether the version is a field of the response.
    var isOfField: Bool {
        switch self {
        case .ownTag, .ownDate: true
        default: false
        }
    }

    /// A Boolean value that indicates whether a request is refused if the server has no strong tag.
    var refusesWeakTags: Bool {
        if case .ownTag(let fallback) = self { fallback.isRefused } else { false }
    }

    /// Returns the version in the value of the attribute; `nil` if it is of no use.
    func version(_ value: StoredValue) -> StoredValue? {
        switch self {
        case .bodyVersion, .fieldVersion:
            if case .integer = value { value } else { nil }
        case .tag:
            if case .text(let text) = value, EntityTag.strong(text) != nil { value } else { nil }
        case .date: value.isNull ? nil : value
        case .none, .ownTag, .ownDate, .compareFirst: nil
        }
    }

    /// Returns the version in the head of a response.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - isRead: A Boolean value that indicates whether the object was read for the next request, which is then
    ///     sent even if the server names no version.
    /// - Returns: The version; `nil` for none.
    func version(of head: HTTPResponse, isRead: Bool) -> StoredValue? {
        switch self {
        case .none, .bodyVersion, .fieldVersion, .date: return nil
        case .ownTag:
            if let tag = head.headerFields[.eTag], EntityTag.strong(tag) != nil {
                return .text(tag)
            }
        case .ownDate:
            if let date = head.headerFields[.lastModified] { return .text(date) }
        case .tag, .compareFirst: break
        }
        return isRead ? Self.justRead : nil
    }

    /// Returns the header field with a version; `nil` if the request has none.
    ///
    /// - Throws: ``OutboxError`` if the declaration refuses requests without a tag.
    func field(_ version: StoredValue) throws(OutboxError) -> (name: String, value: String)? {
        switch (self, version) {
        case (.ownTag(let fallback), Self.justRead) where fallback.isRefused:
            throw OutboxError(.refused, "the server has no strong entity tag of the object")
        case (_, Self.justRead): return nil
        case (.fieldVersion, .integer(let number)): return ("If-Match", "\"\(number)\"")
        case (.tag, .text(let text)), (.ownTag, .text(let text)):
            return EntityTag.strong(text).map { ("If-Match", $0) }
        case (.ownDate, .text(let text)): return ("If-Unmodified-Since", text)
        case (.date, _):
            return Date(storedValue: version).map { ("If-Unmodified-Since", HTTPDate.format($0)) }
        default: return nil
        }
    }

    /// Returns an expression with the version of a row, in a statement that inserts the first entry of it.
    ///
    /// - Parameters:
    ///   - layout: The layout.
    ///   - table: The name of the table of the rows.
    ///   - key: The expression of the key.
    /// - Returns: The expression.
    func expression(_ layout: EntityLayout, _ table: String, key: String) -> String {
        if isOfField {
            return "(SELECT g.tag FROM \(OutboxTables.tags) g WHERE g.key = \(key))"
        }
        guard let property, let column = layout.column(ofProperty: property) else { return "NULL" }
        let name = "\(table).\(layout.columns[column].quoted)"
        guard case .tag = self else { return name }
        return "CASE WHEN \(name) LIKE 'W/%' THEN NULL ELSE \(name) END"
    }
}

/// The entity tags of HTTP.
///
/// - Source: RFC 9110 §8.8.3.
enum EntityTag {
    /// Returns a strong tag as `If-Match` has it; `nil` for a weak or malformed one.
    static func strong(_ text: String) -> String? {
        if text.isEmpty || text.hasPrefix("W/") { return nil }
        let tag = text.hasPrefix("\"") ? text : "\"\(text)\""
        let content = tag.utf8.dropFirst().dropLast()
        guard tag.utf8.count >= 2, tag.hasSuffix("\""),
            content.allSatisfy({ $0 >= 0x21 && $0 != 0x22 && $0 != 0x7F })
        else { return nil }
        return tag
    }
}
