// SPDX-License-Identifier: Apache-2.0

package import RestDocument
public import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A `Codable` type whose values are stored as JSON text.
///
/// ```swift
/// struct Address: JSONAttributeValue {
///     var street: String
///     var city: String?
/// }
/// ```
///
/// Equal values must be encoded in the same way: a row is written when its text changes. The keys of objects and
/// the elements of sets and dictionaries are sorted. A value that cannot be encoded, such as infinity, is an error
/// of the save.
public protocol JSONAttributeValue: AttributeValue, MappableCodable {}

extension JSONAttributeValue {
    /// ``AttributeType/json``.
    public static var attributeType: AttributeType { .json }

    /// The value as JSON text with sorted keys; one that cannot be encoded cannot be stored.
    public var storedValue: StoredValue {
        guard let document = try? DocumentEncoder.sorted.encode(self) else { return .unstorable }
        return .text(JSONColumn.text(of: document.root))
    }

    /// Creates a value from a stored value; `nil` if this type cannot decode it.
    public init?(storedValue: StoredValue) {
        guard let root = JSONColumn.root(of: storedValue),
            let value = try? DocumentDecoder().decode(Self.self, from: root)
        else { return nil }
        self = value
    }
}

extension Array: AttributeValue where Element: AttributeValue {
    /// ``AttributeType/json``.
    public static var attributeType: AttributeType { .json }

    /// A JSON array of the elements as their own columns store them.
    ///
    /// An array with an infinite number or NaN, which JSON does not have, or with a date that has no
    /// column of its own, cannot be stored.
    public var storedValue: StoredValue {
        var builder = DocumentBuilder()
        builder.beginArray()
        for element in self {
            guard JSONColumn.append(element, to: &builder) else { return .unstorable }
        }
        builder.end()
        return .text(JSONColumn.text(of: builder.finish().root))
    }

    /// Creates an array from a stored value; `nil` if the type of the elements cannot represent it.
    public init?(storedValue: StoredValue) {
        guard let root = JSONColumn.root(of: storedValue), root.kind == .array else { return nil }
        var elements: [Element] = []
        for node in root.elements {
            guard let element: Element = JSONColumn.value(of: node) else { return nil }
            elements.append(element)
        }
        self = elements
    }
}

extension Set: AttributeValue where Element: AttributeValue {
    /// ``AttributeType/json``.
    public static var attributeType: AttributeType { .json }

    /// A JSON array of the elements, in the order of their stored values, as an array stores them.
    public var storedValue: StoredValue {
        sorted { $0.storedValue.compare($1.storedValue) < 0 }.storedValue
    }

    /// Creates a set from a stored value; `nil` if the type of the elements cannot represent it.
    public init?(storedValue: StoredValue) {
        guard let elements = [Element](storedValue: storedValue) else { return nil }
        self.init(elements)
    }
}

extension Dictionary: AttributeValue where Key == String, Value: AttributeValue {
    /// ``AttributeType/json``.
    public static var attributeType: AttributeType { .json }

    /// A JSON object with sorted keys and the values as their own columns store them.
    ///
    /// A dictionary with an infinite number or NaN, which JSON does not have, cannot be stored.
    public var storedValue: StoredValue {
        var builder = DocumentBuilder()
        builder.beginObject()
        for (key, value) in self {
            builder.key(key)
            guard JSONColumn.append(value, to: &builder) else { return .unstorable }
        }
        builder.end()
        return .text(JSONColumn.text(of: builder.finish().root))
    }

    /// Creates a dictionary from a stored value; `nil` if the type of the values cannot represent it.
    public init?(storedValue: StoredValue) {
        guard let root = JSONColumn.root(of: storedValue), root.kind == .object else { return nil }
        var members: [String: Value] = [:]
        for (key, node) in root.members {
            guard let value: Value = JSONColumn.value(of: node) else { return nil }
            members[key] = value
        }
        self = members
    }
}

/// The JSON text of columns.
///
/// Equal values have equal texts: keys are sorted, and there is no white space.
package enum JSONColumn {
    private static let writer = JSONWriter(sortsKeys: true)

    /// Returns the text of a value for a column.
    static func text(of node: Node) -> String { writer.text(of: node) }

    /// Returns the value in a column; `nil` if its text is not JSON.
    package static func root(of stored: StoredValue) -> Node? {
        guard case .text(let text) = stored else { return nil }
        return try? Document(parsing: text, limits: .none).root
    }

    /// Appends a value in the form of its own column.
    ///
    /// - Returns: `false` if JSON cannot represent the value.
    static func append<Value: AttributeValue>(
        _ value: Value, to builder: inout DocumentBuilder
    ) -> Bool {
        let stored = value.storedValue
        if Value.attributeType.isUnstorable(stored) { return false }
        switch (stored, Value.attributeType.kind.storage.json) {
        case (.null, _): builder.null()
        case (.integer(let number), .boolean): builder.bool(number != 0)
        case (.integer(let number), _): builder.number(number)
        case (.double(let number), _):
            guard number.isFinite, (try? builder.number(number)) != nil else { return false }
        case (.text, .any):
            if let root = root(of: stored) {
                builder.value(root)
            } else {
                builder.null()
            }
        case (.text(let text), .digits):
            if (try? builder.number(text: text)) == nil { builder.null() }
        case (.text(let text), _): builder.string(text)
        case (.data(let data), _): builder.string(data.base64EncodedString())
        }
        return true
    }

    /// Returns the value of a node in the form of its own column; `nil` if it has another form.
    static func value<Value: AttributeValue>(of node: Node) -> Value? {
        if node.kind == .null { return Value(storedValue: .null) }
        let stored: StoredValue? =
            switch Value.attributeType.kind.storage.json {
            case .integer: node.int64.map { .integer($0) }
            case .real: node.double.map { .double($0) }
            case .boolean: node.bool.map { .integer($0 ? 1 : 0) }
            case .digits: node.uint64.map { .text("\($0)") }
            case .text: node.string.map { .text($0) }
            case .base64: node.string.flatMap { Data(base64Encoded: $0) }.map { .data($0) }
            case .any: .text(text(of: node))
            }
        return stored.flatMap { Value(storedValue: $0) }
    }
}
