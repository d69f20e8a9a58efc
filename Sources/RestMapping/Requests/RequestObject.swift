// SPDX-License-Identifier: Apache-2.0

/// A value that the body of a request is created from: an object, or a list of objects.
///
/// Mapped and managed objects conform, and arrays of them.
public protocol RequestContent: SendableMetatype {
    /// The objects to send.
    var requestObject: RequestObject { get }
}

/// The objects that the body of a request is created from.
///
///     RequestObject(article)
///     RequestObject([user, address])      // objects of several types
///     RequestObject(encoding: draft)      // a value of an `Encodable` type
///
/// Not Sendable: the objects belong to the caller.
public struct RequestObject {
    /// The kinds of content.
    public enum Content {
        /// One object, which a request mapping describes.
        case object(any RequestSubject)
        /// A list of objects, which may be of several types; the table of their common type is nil
        /// if it is not known.
        case list([any RequestSubject], elements: PropertyTable?)
        /// A value that encodes itself.
        case encodable(any Encodable)
    }

    /// The content.
    public let content: Content

    /// Creates the content of a request with one object, or with a list of objects of one type.
    public init(_ content: some RequestContent) {
        self = content.requestObject
    }

    /// Creates the content of a request with objects of several types.
    public init(_ objects: [any RequestSubject]) {
        content = .list(objects, elements: nil)
    }

    /// Creates the content of a request with a value that encodes itself.
    public init(encoding value: some Encodable) {
        content = .encodable(value)
    }

    init(content: Content) {
        self.content = content
    }
}

extension RequestObject: RequestContent {
    /// The objects themselves.
    public var requestObject: RequestObject { self }
}

extension RequestSubject {
    /// The object, as the only one.
    public var requestObject: RequestObject { RequestObject(content: .object(self)) }
}

extension Array: RequestContent where Element: RequestSubject {
    /// The elements, as a list.
    public var requestObject: RequestObject {
        RequestObject(
            content: .list(self, elements: (Element.self as? any MappingSubject.Type)?.properties))
    }
}
