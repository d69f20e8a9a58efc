// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A `Codable` value as a property of a mapped type.
///
///     @Mapped struct Article {
///         var settings: CodableValue<Settings>?
///     }
///
/// The value is decoded from its place in the document and encoded to one, by the rules its type
/// was written for. An issue names the place of the property; what the type did not accept, and
/// where inside of the value, is said by what was expected.
public struct CodableValue<Value: Codable>: MappableValue {
    /// The value itself.
    public var value: Value

    /// Wraps a value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Decodes a value.
    public static func map(from source: MappingSource) throws(MappingFailure) -> CodableValue {
        CodableValue(try source.decode(Value.self, DocumentDecoder()))
    }

    /// Encodes the value.
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.encode(value, DocumentEncoder())
    }
}

extension CodableValue: Sendable where Value: Sendable {}
extension CodableValue: Equatable where Value: Equatable {}
extension CodableValue: Hashable where Value: Hashable {}

extension ValueTransform where Value: Decodable & SendableMetatype {
    /// Decodes a property whose type is `Decodable`.
    ///
    /// - Parameter decoder: Says how dates, data and keys are read.
    /// - Returns: The transform.
    public static func codable(_ decoder: DocumentDecoder = DocumentDecoder()) -> ValueTransform {
        ValueTransform(name: "codable \(Value.self)") { source throws(MappingFailure) in
            try source.decode(Value.self, decoder)
        }
    }
}

extension ParameterTransform where Value: Encodable & SendableMetatype {
    /// Encodes a property whose type is `Encodable`.
    ///
    /// - Parameter encoder: Says how dates, data and keys are written.
    /// - Returns: The transform.
    public static func codable(
        _ encoder: DocumentEncoder = DocumentEncoder()
    ) -> ParameterTransform {
        ParameterTransform(name: "codable \(Value.self)") {
            value, writer throws(MappingFailure) in
            try writer.encode(value, encoder)
        }
    }
}

extension MappingSource {
    func decode<Value: Decodable>(
        _ type: Value.Type, _ decoder: DocumentDecoder
    ) throws(MappingFailure) -> Value {
        do throws(DocumentError) {
            return try decoder.decode(type, from: element)
        } catch {
            // Paths of the decoder begin at the document's root, as those of issues do.
            throw failure(
                .malformedValue,
                "what \(type) decodes (\(error.code) at \(error.path.abbreviated))")
        }
    }
}

extension RepresentationWriter {
    mutating func encode<Value: Encodable>(
        _ value: Value, _ encoder: DocumentEncoder
    ) throws(MappingFailure) {
        do throws(DocumentError) {
            self.value(try encoder.encode(value).root)
        } catch {
            throw failed(
                .malformedValue, "what a document can hold", found: "a \(Value.self) that it cannot"
            )
        }
    }
}

/// A `Codable` type as a whole mapping: documents become its values, and values documents.
///
/// The type needs no property table; its own `init(from:)` and `encode(to:)` are asked.
public struct CodableMapping<Value>: Sendable {
    /// Says how dates, data and keys are read.
    public var decoder = DocumentDecoder()
    /// Says how dates, data and keys are written.
    public var encoder = DocumentEncoder()

    /// Makes the mapping of a type.
    public init(_ type: Value.Type = Value.self) {}
}

extension CodableMapping where Value: Decodable {
    /// Makes an object of a representation.
    ///
    /// - Throws: ``MappingError`` with the path where the type did not accept the document.
    public func object(from node: Node) throws(MappingError) -> Value {
        do throws(DocumentError) {
            return try decoder.decode(Value.self, from: node)
        } catch {
            throw Self.error(error, "a \(Value.self)", found: "another value")
        }
    }

    /// Makes objects of a list of representations, or of a single one, in document order.
    ///
    /// - Returns: Empty for an empty list and for null.
    /// - Throws: ``MappingError`` with the path where the type did not accept the document.
    public func objects(from node: Node) throws(MappingError) -> [Value] {
        switch node.kind {
        case .null: return []
        case .array:
            var objects: [Value] = []
            objects.reserveCapacity(node.count)
            for element in node.elements { objects.append(try object(from: element)) }
            return objects
        default: return [try object(from: node)]
        }
    }
}

extension CodableMapping where Value: Encodable {
    /// The representation of an object.
    ///
    /// - Throws: ``MappingError`` with the path of a value that no document can hold.
    public func document(of object: Value) throws(MappingError) -> Document {
        do throws(DocumentError) {
            return try encoder.encode(object)
        } catch {
            throw Self.error(error, "what a document can hold", found: "a value that is not")
        }
    }

    /// The representation of an object as JSON text.
    ///
    /// - Throws: ``MappingError`` with the path of a value that no document can hold.
    public func bytes(of object: Value) throws(MappingError) -> [UInt8] {
        do throws(DocumentError) {
            return try encoder.bytes(of: object)
        } catch {
            throw Self.error(error, "what a document can hold", found: "a value that is not")
        }
    }
}

extension CodableMapping {
    private static func error(
        _ error: DocumentError, _ expected: String, found: String
    ) -> MappingError {
        MappingError(
            .invalidObject, mapping: "\(Value.self)",
            issue: MappingIssue(
                path: error.path, mapping: "\(Value.self)", property: nil,
                code: .malformedValue, expected: expected, found: found),
            underlying: error)
    }
}
