// SPDX-License-Identifier: Apache-2.0

/// One line of a request mapping.
public enum RequestPropertyMapping: Sendable {
    /// A place fed by a plain value.
    case attribute(RequestAttribute)
    /// A place fed by related objects.
    case relationship(RequestRelationship)
}

/// One place of a representation fed by a property.
public struct RequestAttribute: Sendable {
    /// Name of the property; dotted, such as `author.name`, for one of an object it holds.
    ///
    /// A path through a list collects what it finds in each element.
    public let source: String
    /// Where the value goes, seen from the object.
    ///
    /// Empty for the value to become the one key of an empty object, `{"Blake":{}}`, as RestKit
    /// inverts a mapping of the representation itself.
    public let destination: SourcePath
    /// What becomes of the value, where that is not up to its type and the mapping.
    enum Form: Sendable {
        case transform(any ErasedParameterTransform)
        case dates(DateFormat)
    }

    let form: Form?

    /// Declares an attribute.
    public init(_ source: String, to destination: SourcePath) {
        self.init(source, to: destination, form: nil)
    }

    /// Declares an attribute whose value is converted by a transform.
    public init<Value>(
        _ source: String, to destination: SourcePath, using transform: ParameterTransform<Value>
    ) {
        self.init(source, to: destination, form: .transform(transform))
    }

    /// Declares an attribute that is a date, with a format of its own.
    public init(_ source: String, to destination: SourcePath, using format: DateFormat) {
        self.init(source, to: destination, form: .dates(format))
    }

    init(_ source: String, to destination: SourcePath, form: Form?) {
        self.source = source
        self.destination = destination
        self.form = form
    }
}

/// One place of a representation fed by related objects.
public struct RequestRelationship: Sendable {
    /// Name of the property that holds them; dotted for one of an object it holds.
    public let source: String
    /// Where the related representation goes, seen from the object.
    public let destination: SourcePath
    /// How related objects are written; nil for the default mapping of their type.
    ///
    /// A mapping is a value and cannot hold itself: a type that relates to itself leaves this nil.
    public let mapping: ParameterMapping?

    /// Declares a relationship; without a mapping, to objects of their default one.
    public init(_ source: String, to destination: SourcePath, mapping: ParameterMapping? = nil) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
    }

    /// Declares a relationship to objects of one mapping.
    public init(_ source: String, to destination: SourcePath, mapping: RequestMapping) {
        self.init(source, to: destination, mapping: .request(mapping))
    }

    /// Declares a relationship to objects that decide about their mapping.
    public init(_ source: String, to destination: SourcePath, mapping: DynamicRequestMapping) {
        self.init(source, to: destination, mapping: .dynamic(mapping))
    }
}
