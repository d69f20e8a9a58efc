// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// One property fed by one place of the representation.
public struct AttributeMapping: Sendable {
    /// Where the value sits, seen from the object; empty for the object itself.
    public let source: DocumentPath
    /// Name of the property.
    public let destination: String
    /// Replaces the conversion of the property's type.
    let transform: (any ErasedTransform)?
    /// What happens when the value cannot be mapped; nil for what the mapping says.
    public var policy: IssuePolicy?

    /// Declares an attribute.
    public init(_ source: DocumentPath, to destination: String) {
        self.source = source
        self.destination = destination
        transform = nil
    }

    /// Declares an attribute whose value is converted by a transform.
    ///
    /// The transform's result must be the property's type; otherwise every value is an issue.
    public init<Value>(
        _ source: DocumentPath, to destination: String, using transform: ValueTransform<Value>
    ) {
        self.source = source
        self.destination = destination
        self.transform = transform
    }

    /// Declares an attribute whose value is converted by a transformer.
    ///
    /// The transformer is asked for the property's type, without the optional if it is one; null is
    /// nil for an optional property without it being asked.
    public init(
        _ source: DocumentPath, to destination: String, using transformer: some ValueTransforming
    ) {
        self.source = source
        self.destination = destination
        transform = TransformerHook(transformer: transformer, isForMapping: false)
    }
}

/// One property that holds mapped objects, fed by one place of the representation.
public struct RelationshipMapping: Sendable {
    /// Where the related representation sits, seen from the object.
    public let source: DocumentPath
    /// Name of the property.
    public let destination: String
    /// How related objects are mapped; nil for the default mapping of the type they have.
    ///
    /// A mapping is a value and cannot hold itself: a type that relates to itself, as a comment
    /// to its replies, leaves this nil.
    public let mapping: ObjectMapping?

    /// Declares a relationship.
    public init(_ source: DocumentPath, to destination: String, mapping: ObjectMapping? = nil) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
    }
}
