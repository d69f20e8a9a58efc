// SPDX-License-Identifier: Apache-2.0

/// A mapping of one place of the representation to one property.
public struct AttributeMapping: Sendable {
    /// The path of the value, relative to the object; empty for the object itself.
    public let source: SourcePath
    /// The name of the property; dotted, such as `address.city`, for a property of an object that
    /// it holds.
    public let destination: String
    /// The transform that replaces the conversion of the property's type.
    let transform: (any PropertyTransform)?
    /// The value for a missing one, where the mapping assigns defaults.
    let defaultValue: (any Sendable)?
    /// The policy for a value that cannot be mapped; nil for the mapping's policy.
    public var policy: IssuePolicy?

    /// Creates an attribute mapping.
    public init(_ source: SourcePath, to destination: String, policy: IssuePolicy? = nil) {
        self.init(source, to: destination, transform: nil, defaultValue: nil, policy: policy)
    }

    /// Creates an attribute mapping whose value is converted by a transform.
    ///
    /// The transform's result must be of the property's type.
    public init<Value>(
        _ source: SourcePath, to destination: String, using transform: ValueTransform<Value>,
        policy: IssuePolicy? = nil
    ) {
        self.init(
            source, to: destination, transform: transform, defaultValue: nil, policy: policy)
    }

    /// Creates an attribute mapping with a default value of its own.
    ///
    /// The default is assigned to a missing value where ``ObjectMapping/assignsDefaultForMissing``
    /// is set, and must be of the property's type.
    public init<Value: Sendable>(
        _ source: SourcePath, to destination: String, default defaultValue: Value,
        using transform: ValueTransform<Value>? = nil, policy: IssuePolicy? = nil
    ) {
        self.init(
            source, to: destination, transform: transform, defaultValue: defaultValue,
            policy: policy)
    }

    init(
        _ source: SourcePath, to destination: String, transform: (any PropertyTransform)?,
        defaultValue: (any Sendable)?, policy: IssuePolicy?
    ) {
        self.source = source
        self.destination = destination
        self.transform = transform
        self.defaultValue = defaultValue
        self.policy = policy
    }

    /// Returns the same mapping for another property.
    func renamed(to destination: String) -> AttributeMapping {
        AttributeMapping(
            source, to: destination, transform: transform, defaultValue: defaultValue,
            policy: policy)
    }
}

extension AttributeMapping: Equatable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether source and destination are equal; transforms
    /// are not compared.
    public static func == (left: AttributeMapping, right: AttributeMapping) -> Bool {
        left.source == right.source && left.destination == right.destination
    }

    /// The source and the destination.
    public var description: String { "\(source) -> \(destination)" }
}
