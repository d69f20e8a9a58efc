// SPDX-License-Identifier: Apache-2.0

/// A mapping of one property in a request mapping: an attribute or a relationship.
public enum RequestPropertyMapping: Sendable {
    /// A property that holds a plain value.
    case attribute(RequestAttribute)
    /// A property that holds related objects.
    case relationship(RequestRelationship)
}

/// A mapping of one property to one path of the representation.
public struct RequestAttribute: Sendable {
    /// The name of the property; dotted, such as `author.name`, for a property of an object that it
    /// holds.
    ///
    /// A path through a list collects the values of its elements.
    public let source: String
    /// The path of the value, relative to the object.
    ///
    /// With an empty path the value is written in place of the object, and must be its only property.
    public let destination: SourcePath

    /// The declared conversion; nil for the opposite of the transform that the property declares, or
    /// else that of its type.
    let conversion: RequestConversion?

    /// Creates an attribute, whose value is converted as the property declares: back by its
    /// transform if that converts in both directions, or else by its type.
    public init(_ source: String, to destination: SourcePath) {
        self.init(source, to: destination, conversion: nil)
    }

    /// Creates an attribute whose value is converted by a transform.
    public init<Value>(
        _ source: String, to destination: SourcePath, using transform: RequestTransform<Value>
    ) {
        self.init(source, to: destination, conversion: .transform(transform))
    }

    /// Creates an attribute that is a date, with a format of its own.
    public init(_ source: String, to destination: SourcePath, using format: DateFormat) {
        self.init(source, to: destination, conversion: .dates(format))
    }

    init(_ source: String, to destination: SourcePath, conversion: RequestConversion?) {
        self.source = source
        self.destination = destination
        self.conversion = conversion
    }
}

/// A mapping of the related objects of one property to one path of the representation.
public struct RequestRelationship: Sendable {
    /// The name of the property that holds the objects; dotted for a property of an object that it
    /// holds.
    public let source: String
    /// The path of the related representation, relative to the object.
    public let destination: SourcePath
    /// The mapping of the related objects; nil for the default mapping of their type, or for the
    /// identification attributes of their entity.
    ///
    /// A mapping is a value and cannot contain itself: a type that relates to itself leaves this
    /// nil.
    public let mapping: AnyRequestMapping?

    /// Creates a relationship; without a mapping of the related objects, by their default mapping
    /// or their identity.
    public init(_ source: String, to destination: SourcePath, mapping: AnyRequestMapping? = nil) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
    }

    /// Creates a relationship with one mapping of the related objects.
    public init(_ source: String, to destination: SourcePath, mapping: RequestMapping) {
        self.init(source, to: destination, mapping: .request(mapping))
    }

    /// Creates a relationship with a mapping that is chosen for each related object.
    public init(_ source: String, to destination: SourcePath, mapping: DynamicRequestMapping) {
        self.init(source, to: destination, mapping: .dynamic(mapping))
    }
}
