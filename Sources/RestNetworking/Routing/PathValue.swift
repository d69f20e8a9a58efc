// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The value of a path parameter.
enum PathValue: Sendable, Hashable {
    case text(String)
    /// A number as decimal text.
    case number(String)
    case boolean(Bool)

    /// The text in the path, without encoding.
    var text: String {
        switch self {
        case .text(let text), .number(let text): text
        case .boolean(let value): value ? "true" : "false"
        }
    }

    /// Adds the value to a document.
    func add(to builder: inout DocumentBuilder) {
        switch self {
        case .text(let text): builder.string(text)
        case .boolean(let value): builder.bool(value)
        case .number(let text):
            do throws(DocumentError) {
                try builder.number(text: text)
            } catch {
                // Infinities and NaN are no JSON numbers.
                builder.string(text)
            }
        }
    }
}

/// A source of the values of path parameters: an object, a dictionary or a document.
enum PathValueSource {
    case object(any NamedValues)
    case dictionary([String: Any])
    case document(Node)
    case none

    /// Creates a source from an object whose type is not known; `nil` is a source without values.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - encoder: The encoder of an object that encodes itself.
    ///   - dates: The format of its dates, if the encoder has no strategy for them.
    /// - Throws: ``NetworkingError`` if the values of the object have no names, or if the object
    ///   cannot be encoded.
    init(
        _ object: Any?, by encoder: DocumentEncoder, dates: DateFormat
    ) throws(NetworkingError) {
        switch object {
        case nil: self = .none
        case let object as any NamedValues: self = .object(object)
        case let values as [String: Any]: self = .dictionary(values)
        case let document as Document: self = .document(document.root)
        case let node as Node: self = .document(node)
        case let object as any Encodable:
            // A parameter of a path is named after the property.
            var encoder = encoder
            encoder.keyEncodingStrategy = .useDefaultKeys
            do {
                let document = try Document(encoding: object, by: encoder, dates: dates)
                self = .document(document.root)
            } catch {
                throw NetworkingError(
                    .invalidRequest, stage: .assembly,
                    path: (error as? DocumentError)?.path ?? (error as? MappingError)?.path,
                    causes: ["the values for a path cannot be read from \(type(of: object))"],
                    underlying: error)
            }
        case let object?:
            throw NetworkingError(
                .invalidRequest, stage: .assembly,
                causes: [
                    "the values of \(type(of: object)) have no names; declare the type with "
                        + "@Mapped, or make it Encodable"
                ])
        }
    }

    /// Returns the value of a parameter; `nil` if it is absent, nil or null, or if a path cannot
    /// contain it, such as an array.
    ///
    /// - Throws: `MappingError` if an object has no such property.
    func value(
        named name: String, at path: DocumentPath, _ dates: DateFormat
    ) throws(MappingError) -> PathValue? {
        switch self {
        case .none: return nil
        case .object(let object): return try Self.value(at: path, of: object, dates)
        case .document(let document): return document[path].flatMap(Self.value)
        case .dictionary(let values):
            // A name with dots may be a key itself.
            if let value = values[name] { return try Self.value(of: value, dates) }
            return try Self.value(at: path, of: DictionaryValues(values: values), dates)
        }
    }

    private static func value(
        at path: DocumentPath, of object: some NamedValues, _ dates: DateFormat
    ) throws(MappingError) -> PathValue? {
        guard let value = try object.value(at: path) else { return nil }
        if let scalar = scalar(value) { return scalar }
        return try object.text(at: path, dates: dates).map { .text($0) }
    }

    private static func value(
        of value: Any, _ dates: DateFormat
    ) throws(MappingError) -> PathValue? {
        if let scalar = scalar(value) { return scalar }
        return try DictionaryValues(values: ["value": value]).text(at: "value", dates: dates)
            .map { .text($0) }
    }

    /// Returns a text, a number or a Boolean value; `nil` for values of other types.
    private static func scalar(_ value: Any) -> PathValue? {
        switch value {
        case let text as String: .text(text)
        case let number as Int: .number(number.description)
        case let value as Bool: .boolean(value)
        case let number as any BinaryInteger: .number(number.description)
        case let number as Double: .number(number.description)
        case let number as Float: .number(number.description)
        case let number as Decimal: .number(number.description)
        case let value as any RawRepresentable: scalar(value.rawValue)
        default: nil
        }
    }

    private static func value(of node: Node) -> PathValue? {
        switch node.kind {
        case .string: return node.string.map(PathValue.text)
        case .number: return node.numberText.map(PathValue.number)
        case .boolean: return node.bool.map(PathValue.boolean)
        case .null, .array, .object: return nil
        }
    }
}

/// A dictionary as an object whose properties are its keys.
private struct DictionaryValues: NamedValues {
    let values: [String: Any]

    func value(named name: String) throws(MappingError) -> Any? { values[name] }
}
