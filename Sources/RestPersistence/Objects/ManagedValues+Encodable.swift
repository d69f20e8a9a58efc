// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

extension ManagedValues {
    /// Encodes the values under the names of the properties.
    ///
    /// `try JSONEncoder().encode(Airport.Values(airport))` is the row as JSON. Attributes are encoded as
    /// their Swift types are, enumerations as their raw values, JSON attributes as the JSON that is stored,
    /// and to-one relationships as the URI of the destination's ID. Null is left out, and so are
    /// private properties, which are not part of the structure.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws { try managedRow.encode(to: encoder) }
}

extension ManagedObjectID: Encodable {
    /// Encodes the ``uri``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uri.absoluteString)
    }
}

extension ManagedRow {
    /// Encodes the visible properties that are not null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyKey.self)
        let hidden = hiddenNames
        for index in layout.properties.indices {
            switch layout.properties[index] {
            case .attribute(let column):
                let description = layout.columns[column]
                let key = PropertyKey(stringValue: description.name)
                if columns[column].isNull || hidden.contains(description.name) { continue }
                try Self.encode(columns[column], of: description.type, at: key, in: &container)
            case .relationship(let position):
                let relationship = layout.relationships[position]
                if relationship.isToMany || hidden.contains(relationship.name) { continue }
                let id: ManagedObjectID? = value(index)
                try container.encodeIfPresent(
                    id, forKey: PropertyKey(stringValue: relationship.name))
            }
        }
    }

    private static func encode(
        _ stored: StoredValue, of type: AttributeType, at key: PropertyKey,
        in container: inout KeyedEncodingContainer<PropertyKey>
    ) throws {
        func encode<Value: AttributeValue & Encodable>(_ type: Value.Type) throws {
            guard let value = Value(storedValue: stored) else {
                throw EncodingError.invalidValue(
                    stored.kind,
                    EncodingError.Context(
                        codingPath: container.codingPath + [key],
                        debugDescription: "the \(stored.kind) is no value of \(type)"))
            }
            try container.encode(value, forKey: key)
        }
        switch type.kind {
        case .integer: try encode(Int64.self)
        case .unsignedInteger: try encode(UInt64.self)
        case .double: try encode(Double.self)
        case .decimal: try encode(Decimal.self)
        case .text, .day: try encode(String.self)
        case .boolean: try encode(Bool.self)
        case .date: try encode(Date.self)
        case .uuid: try encode(UUID.self)
        case .url: try encode(URL.self)
        case .data: try encode(Data.self)
        case .json:
            if let root = JSONColumn.root(of: stored) {
                try container.encode(EncodableNode(node: root), forKey: key)
            }
        }
    }
}

/// The name of a property, or a key of a JSON object.
private struct PropertyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}

/// A JSON value for encoders of any format.
private struct EncodableNode: Encodable {
    let node: Node

    func encode(to encoder: any Encoder) throws {
        switch node.kind {
        case .object:
            var container = encoder.container(keyedBy: PropertyKey.self)
            for (name, node) in node.members {
                try container.encode(
                    EncodableNode(node: node), forKey: PropertyKey(stringValue: name))
            }
        case .array:
            var container = encoder.unkeyedContainer()
            for node in node.elements { try container.encode(EncodableNode(node: node)) }
        default:
            var container = encoder.singleValueContainer()
            if let value = node.bool {
                try container.encode(value)
            } else if let value = node.int64 {
                try container.encode(value)
            } else if let value = node.uint64 {
                try container.encode(value)
            } else if let value = node.double {
                try container.encode(value)
            } else if let value = node.string {
                try container.encode(value)
            } else {
                try container.encodeNil()
            }
        }
    }
}
