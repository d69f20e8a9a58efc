// SPDX-License-Identifier: Apache-2.0

import RestDocument

// The declarations that accept a transform between Swift values. The engine does not
// depend on these transforms.

extension ValueTransform {
    /// Creates a transform that converts by a transform between Swift values.
    ///
    /// For an optional property null becomes nil without a call of the transform.
    public init(_ transform: AnyValueTransform) {
        self.init(
            name: transform.name, requestConversion: transform.requestConversion(for: Value.self)
        ) { source throws(MappingFailure) in
            do throws(TransformFailure) {
                return try transform.value(of: source.view)
            } catch {
                throw source.failure(.transformFailed, "a value that \(transform.name) accepts")
            }
        }
    }
}

extension ConversionOptions {
    /// The transform that converts all values it can, in place of the properties' types; nil for
    /// none.
    ///
    /// An attribute's own transform takes precedence, and the objects of relationships are not
    /// affected. Typed conversions are many times faster, so change ``coercions`` and ``dates``
    /// where that is enough.
    public var transform: AnyValueTransform? {
        get { mappingTransform as? AnyValueTransform }
        set { mappingTransform = newValue }
    }

    /// Creates options with a transform of all values.
    public init(
        coercions: Coercions = .standard, dates: DateFormats = .standard,
        transform: AnyValueTransform
    ) {
        self.init(coercions: coercions, dates: dates)
        self.transform = transform
    }
}

extension AttributeMapping {
    /// Creates an attribute mapping whose value is converted by a transform between Swift values.
    ///
    /// The transform converts to the property's type, without the optional if it is one. For an
    /// optional property null becomes nil without a call of the transform.
    public init(
        _ source: SourcePath, to destination: String, using transform: AnyValueTransform,
        policy: IssuePolicy? = nil
    ) {
        self.init(
            source, to: destination, transform: AnyPropertyTransform(transform), defaultValue: nil,
            policy: policy)
    }

    /// Creates an attribute mapping of a date in a format of its own.
    public init(
        _ source: SourcePath, to destination: String, using format: DateFormat,
        policy: IssuePolicy? = nil
    ) {
        self.init(source, to: destination, using: AnyValueTransform.date(format), policy: policy)
    }
}

/// Maps a place of the representation to a property, through a transform between Swift values.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>,
    using transform: AnyValueTransform, policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    MappingElement(
        AttributeMapping(
            source, to: Subject.name(of: property), using: transform, policy: policy))
}

/// Maps a place of the representation to a date, in a format of its own.
public func attribute<Subject: MappingSubject, Value>(
    _ source: SourcePath, to property: KeyPath<Subject, Value>, using format: DateFormat,
    policy: IssuePolicy? = nil
) -> MappingElement<Subject> {
    attribute(source, to: property, using: AnyValueTransform.date(format), policy: policy)
}

extension Property {
    /// Creates a property whose values are converted by a transform between Swift values.
    ///
    /// The transform converts to the property's type, without the optional if it is one.
    public init<Root, Value: MappableValue>(
        _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
        _ type: Value.Type,
        source: SourcePath? = nil, isRequired: Bool = false, policy: IssuePolicy? = nil,
        transform: AnyValueTransform
    ) {
        self.init(
            name, source: source, isRequired: isRequired, relation: Value.relation,
            valueType: type, policy: policy, keyPath: keyPath,
            transform: AnyPropertyTransform(transform))
    }
}

#if Macros
/// Converts the values of a property by a transform between Swift values instead of by its type.
///
/// A transform that a mapping declares for the attribute takes precedence.
///
/// - Parameter transform: Converts to the property's type, without the optional if it is one.
@attached(peer)
public macro MappedTransform(_ transform: AnyValueTransform) =
    #externalMacro(module: "RestMacros", type: "PropertyMarkerMacro")
#endif
