// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A `Codable` type that a value of a document can become by the type's own code.
///
///     extension Settings: MappableCodable {}
///
///     @Mapped struct Article {
///         var settings: Settings?
///         var reviews: [Review] = []          // also `Codable`, also joined by one line
///     }
///
/// Such a value is an object: one that its type does not accept ends the run or is left out as
/// ``IssuePolicy/invalidObject`` says, and the issue names the place inside where that showed. How
/// dates, data and keys are read and written is said by a ``CodableMapping`` for the relationship.
public protocol MappableCodable: MappableValue, Codable {}

extension MappableCodable {
    /// Decodes a value.
    public static func map(from source: MappingSource) throws(MappingFailure) -> Self {
        try source.decodeObject(Self.self)
    }

    /// Encodes the value.
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.encode(self, writer.codable?.encoder ?? DocumentEncoder())
    }

    /// Objects that decode themselves, one each.
    public static var relation: Relation? {
        Relation(isToMany: false) { PropertyTable(decoding: Self.self) }
    }
}

extension ValueTransform where Value: Decodable & SendableMetatype {
    /// Decodes a property whose type is `Decodable`, as a plain value.
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

// MARK: - Decoding

extension MappingSource {
    /// What the mapping says of an object that decodes itself; nil if it says nothing.
    var codable: CodableMapping? {
        let object = unsafe Int(step.pointee.object)
        return object < 0 ? nil : context.plan.rules[object].codable
    }

    /// Decodes an object as the mapping says.
    func decodeObject<Value: Decodable>(_ type: Value.Type) throws(MappingFailure) -> Value {
        do throws(MappingFailure) {
            let object = try decode(type, codable?.decoder ?? DocumentDecoder())
            countObject()
            return object
        } catch {
            // A value type of its own may ask for a part of it without a relation to it.
            throw unsafe step.pointee.object < 0 ? error : objectFailure(error)
        }
    }

    func decode<Value: Decodable>(
        _ type: Value.Type, _ decoder: DocumentDecoder
    ) throws(MappingFailure) -> Value {
        do throws(DocumentError) {
            return try decoder.decode(type, from: element)
        } catch {
            throw decodingFailure(of: type, error)
        }
    }

    /// The failure of a value inside this one, at the place that the decoder names.
    private func decodingFailure(
        of type: any Any.Type, _ error: DocumentError
    ) -> MappingFailure {
        var node = Document(storage: element.storage).root
        var isThere = true
        // Paths of the decoder begin at the document's root, as those of issues do.
        for component in error.path.components {
            let next: Node?
            switch component {
            case .key(let key): next = node[key]
            case .index(let index): next = node[index]
            }
            guard let next else {
                isThere = false
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
            expected = isThere ? "a value that \(type) decodes" : "a value at '\(last.abbreviated)'"
        case .valueNotFound(let wanted, _):
            (code, expected) = (.nullValue, Self.words(for: wanted))
        case .typeMismatch(let wanted, _):
            (code, expected) = (.typeMismatch, Self.words(for: wanted))
        default:
            code = error.code == .limitExceeded ? .depthExceeded : .malformedValue
            expected = "what \(type) decodes"
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

extension RepresentationWriter {
    mutating func encode<Value: Encodable>(
        _ value: Value, _ encoder: DocumentEncoder
    ) throws(MappingFailure) {
        let document: Document
        do throws(DocumentError) {
            document = try encoder.encode(value)
        } catch {
            var failure = failed(
                .malformedValue, "what a document can hold", found: "a \(Value.self) that it cannot"
            )
            for component in error.path.components.reversed() {
                switch component {
                case .key(let key): failure = note(failure, key: key)
                case .index(let index): failure = note(failure, index: index)
                }
            }
            throw failure
        }
        self.value(document.root)
    }
}
