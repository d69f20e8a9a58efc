// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A `Codable` type that a value of a document can become by the type's own code.
///
///     extension Settings: MappableCodable {}
///
///     @Mapped struct Article {
///         var settings: Settings?
///         var reviews: [Review] = []          // also `Codable`, with a conformance of one line
///     }
///
/// Such a value is an object: if the type does not accept it, it ends the run or is left out by
/// ``IssuePolicy/invalidObject``, and the path of the issue leads to the value inside that was not
/// accepted. A ``CodableMapping`` for the relationship defines how dates, data and keys are read
/// and written.
public protocol MappableCodable: MappableValue, Codable {}

extension MappableCodable {
    /// Decodes a value.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        try source.decodeObject(Self.self)
    }

    /// Encodes the value.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.encode(self, writer.codable?.encoder ?? DocumentEncoder())
    }

    /// The relation to a single object that decodes itself.
    public static var relation: Relation? {
        Relation(isToMany: false) { PropertyTable(decoding: Self.self) }
    }
}

extension ValueTransform where Value: Decodable & SendableMetatype {
    /// Returns a transform that decodes a `Decodable` type as a plain value.
    ///
    /// - Parameter decoder: The decoder, which defines how dates, data and keys are read.
    /// - Returns: The transform.
    public static func codable(_ decoder: DocumentDecoder = DocumentDecoder()) -> ValueTransform {
        ValueTransform(name: "codable \(Value.self)") { source throws(MappingFailure) in
            try source.decode(Value.self, decoder)
        }
    }
}

extension RequestTransform where Value: Encodable & SendableMetatype {
    /// Returns a transform that encodes an `Encodable` type.
    ///
    /// - Parameter encoder: The encoder, which defines how dates, data and keys are written.
    /// - Returns: The transform.
    public static func codable(
        _ encoder: DocumentEncoder = DocumentEncoder()
    ) -> RequestTransform {
        RequestTransform(name: "codable \(Value.self)") {
            value, writer throws(MappingFailure) in
            try writer.encode(value, encoder)
        }
    }
}

// MARK: - Decoding

extension ValueSource {
    /// The mapping that is declared for an object that decodes itself; nil if there is none.
    var codable: CodableMapping? {
        let object = unsafe Int(step.pointee.object)
        return object < 0 ? nil : context.plan.objectDetails[object].codable
    }

    /// Decodes an object by the declared mapping.
    func decodeObject<Value: Decodable>(_ type: Value.Type) throws(MappingFailure) -> Value {
        do throws(MappingFailure) {
            let object = try decode(type, codable?.decoder ?? DocumentDecoder())
            countObject()
            return object
        } catch {
            // A custom value type may decode a part of itself without a relation to it.
            throw unsafe step.pointee.object < 0
                ? error : PolicyEvaluator(self).applyObjectPolicy(to: error)
        }
    }

    func decode<Value: Decodable>(
        _ type: Value.Type, _ decoder: DocumentDecoder
    ) throws(MappingFailure) -> Value {
        var nulls: [NullElement] = []
        let value: Value
        do throws(DocumentError) {
            value = try decoder.decode(type, from: documentNode, leavingOut: &nulls)
        } catch {
            throw decodingFailure(of: type, error)
        }
        for null in nulls {
            try PolicyEvaluator(self).applyDecodedNullPolicy(
                to: failure(.nullValue, Self.words(for: null.type), at: null.index),
                isObject: null.isObject)
        }
        return value
    }

    /// Returns the failure of a value inside this one, at the path of the decoder's error.
    private func decodingFailure(
        of type: any Any.Type, _ error: DocumentError
    ) -> MappingFailure {
        var node = Document(storage: documentNode.storage).root
        var isPresent = true
        // Paths of the decoder begin at the document's root, as those of issues do.
        for component in error.path.components {
            let next: Node?
            switch component {
            case .key(let key): next = node[key]
            case .index(let index): next = node[index]
            }
            guard let next else {
                isPresent = false
                break
            }
            node = next
        }
        let code: MappingIssue.Code
        let expected: String
        switch error.underlying as? DecodingError {
        case .keyNotFound:
            code = .missingValue
            let last = DocumentPath(Array(error.path.components.suffix(1)))
            expected =
                isPresent ? "a value that \(type) decodes" : "a value at '\(last.abbreviated)'"
        case .valueNotFound(let wanted, _):
            (code, expected) = (.nullValue, Self.words(for: wanted))
        case .typeMismatch(let wanted, _):
            (code, expected) = (.typeMismatch, Self.words(for: wanted))
        default:
            code = error.code == .limitExceeded ? .depthExceeded : .malformedValue
            expected = "a value that \(type) decodes"
        }
        return failure(code, expected, at: node.index)
    }

    private static func words(for type: any Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        case is Never.Type: "a value"
        default: "a value for \(type)"
        }
    }
}

// MARK: - Encoding

extension RequestWriter {
    /// Writes a value that encodes itself; its dates have the format of the current step, unless the
    /// encoder has a strategy for them.
    mutating func encode<Value: Encodable>(
        _ value: Value, _ encoder: DocumentEncoder
    ) throws(MappingFailure) {
        var encoder = encoder
        var marks: DateMarks?
        if encoder.dateEncodingStrategy == nil, replacesEncodedDates {
            let dateMarks = DateMarks()
            encoder.dateEncodingStrategy = dateMarks.strategy
            marks = dateMarks
        }
        let document: Document
        do throws(DocumentError) {
            document = try encoder.encode(value)
        } catch {
            var failure = failed(
                .malformedValue, "a value that a document can represent",
                found: "a \(Value.self) that it cannot represent"
            )
            for component in error.path.components.reversed() {
                switch component {
                case .key(let key): failure = located(failure, key: key)
                case .index(let index): failure = located(failure, index: index)
                }
            }
            throw failure
        }
        if let marks {
            try self.value(DatedDocument(document, markedBy: marks))
        } else {
            try self.value(document.root)
        }
    }
}
