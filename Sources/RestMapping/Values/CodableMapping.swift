// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A mapping to a type that decodes itself, for responses and for relationships.
///
///     let reviews = CodableMapping(for: Review.self, decoder: snakeCase)
///     let mapping = ObjectMapping(for: Article.self) {
///         relationship("reviews", to: \.reviews, mapping: reviews)
///     }
///
/// The type needs no property table; its `init(from:)` reads the representation. A type that a
/// property holds conforms to ``MappableCodable``; a response may hold any `Decodable` type.
public struct CodableMapping: Sendable {
    /// The table of the type, without properties that a mapping could name.
    public let table: PropertyTable
    /// The decoder, which defines how dates, data and keys are read.
    public var decoder: DocumentDecoder
    /// The encoder, which defines how dates, data and keys are written if the type is `Encodable`.
    public var encoder: DocumentEncoder
    /// The policy for a representation that the type does not accept.
    public var policy: IssuePolicy
    private let decodeAny: @Sendable (ValueSource) throws(MappingFailure) -> Any

    /// Creates the mapping of a type.
    public init<Value: Decodable & SendableMetatype>(
        for type: Value.Type, decoder: DocumentDecoder = DocumentDecoder(),
        encoder: DocumentEncoder = DocumentEncoder(), policy: IssuePolicy = .standard
    ) {
        table = PropertyTable(decoding: type)
        self.decoder = decoder
        self.encoder = encoder
        self.policy = policy
        decodeAny = { source throws(MappingFailure) in try source.decodeObject(type) }
    }

    /// Decodes an object from a representation.
    func object(from source: ValueSource) throws(MappingFailure) -> Any {
        try decodeAny(source)
    }
}

extension CodableMapping: Equatable {
    /// Returns a Boolean value that indicates whether two mappings are for the same type; decoders
    /// and encoders are not compared.
    public static func == (left: CodableMapping, right: CodableMapping) -> Bool {
        left.table.isSame(as: right.table)
    }
}
