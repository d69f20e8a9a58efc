// SPDX-License-Identifier: Apache-2.0

/// One property fed by one place of the representation.
public struct AttributeMapping: Sendable {
    /// Where the value sits, seen from the object; empty for the object itself.
    public let source: SourcePath
    /// Name of the property; dotted, such as `address.city`, for one of an object it holds.
    public let destination: String
    /// Replaces the conversion of the property's type.
    let transform: (any ErasedTransform)?
    /// What a missing value becomes where the mapping assigns defaults.
    let defaultValue: (any Sendable)?
    /// What happens when the value cannot be mapped; nil for what the mapping says.
    public var policy: IssuePolicy?

    /// Declares an attribute.
    public init(_ source: SourcePath, to destination: String, policy: IssuePolicy? = nil) {
        self.init(source, to: destination, transform: nil, defaultValue: nil, policy: policy)
    }

    /// Declares an attribute whose value is converted by a transform.
    ///
    /// The transform's result must be the property's type.
    public init<Value>(
        _ source: SourcePath, to destination: String, using transform: ValueTransform<Value>,
        policy: IssuePolicy? = nil
    ) {
        self.init(
            source, to: destination, transform: transform, defaultValue: nil, policy: policy)
    }

    /// Declares an attribute whose value is converted by a transformer.
    ///
    /// The transformer is asked for the property's type, without the optional if it is one; null is
    /// nil for an optional property without it being asked.
    public init(
        _ source: SourcePath, to destination: String, using transformer: some ValueTransforming,
        policy: IssuePolicy? = nil
    ) {
        let hook = TransformerHook(transformer: transformer)
        self.init(source, to: destination, transform: hook, defaultValue: nil, policy: policy)
    }

    /// Declares an attribute with a value of its own for missing ones.
    ///
    /// It is assigned where ``ObjectMapping/assignsDefaultForMissing`` is set, and must be of the
    /// property's type.
    public init<Value: Sendable>(
        _ source: SourcePath, to destination: String, default defaultValue: Value,
        using transform: ValueTransform<Value>? = nil, policy: IssuePolicy? = nil
    ) {
        self.init(
            source, to: destination, transform: transform, defaultValue: defaultValue,
            policy: policy)
    }

    private init(
        _ source: SourcePath, to destination: String, transform: (any ErasedTransform)?,
        defaultValue: (any Sendable)?, policy: IssuePolicy?
    ) {
        self.source = source
        self.destination = destination
        self.transform = transform
        self.defaultValue = defaultValue
        self.policy = policy
    }

    /// The same attribute for another property.
    func renamed(to destination: String) -> AttributeMapping {
        AttributeMapping(
            source, to: destination, transform: transform, defaultValue: defaultValue,
            policy: policy)
    }
}

extension AttributeMapping: Equatable, CustomStringConvertible {
    /// Attributes are equal if source and destination are; transforms are not compared.
    public static func == (left: AttributeMapping, right: AttributeMapping) -> Bool {
        left.source == right.source && left.destination == right.destination
    }

    /// Source and destination.
    public var description: String { "\(source) -> \(destination)" }
}
