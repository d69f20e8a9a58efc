// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A type that decodes itself, as a whole mapping: for responses, and for relationships to it.
///
///     let reviews = CodableMapping(for: Review.self, decoder: snakeCase)
///     let mapping = ObjectMapping(for: Article.self) {
///         relationship("reviews", to: \.reviews, mapping: reviews)
///     }
///
/// The type needs no property table; its `init(from:)` is asked. A property that holds it makes it
/// a ``MappableCodable``; a response may hold any `Decodable` type.
public struct CodableMapping: Sendable {
    /// The type, without properties that a mapping could name.
    public let table: PropertyTable
    /// Says how dates, data and keys are read.
    public var decoder: DocumentDecoder
    /// Says how dates, data and keys are written, where the type is one that is.
    public var encoder: DocumentEncoder
    /// What happens when the type does not accept a representation.
    public var policy: IssuePolicy
    private let decodeAny: @Sendable (MappingSource) throws(MappingFailure) -> Any

    /// Makes the mapping of a type.
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

    /// Makes an object of a representation.
    func object(from source: MappingSource) throws(MappingFailure) -> Any {
        try decodeAny(source)
    }
}

extension CodableMapping: Equatable {
    /// Mappings are equal if they are for the same type; how it is read is not compared.
    public static func == (left: CodableMapping, right: CodableMapping) -> Bool {
        left.table.isSame(as: right.table)
    }
}
