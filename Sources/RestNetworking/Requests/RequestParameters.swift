// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// The parameters of a request, as a dictionary of Swift values.
///
/// ```swift
/// let result = try await api.getObjects(at: "search", parameters: ["q": text, "page": 2])
/// try await api.post("articles", parameters: ["article": ["title": title, "tags": tags]])
/// ```
///
/// A value is of any ``/RestMapping/MappableValue`` type: text, a number, a date, an enumeration, an
/// array, a document, a mapped object. `nil` is sent as null: a name without `=` in a query, `null`
/// in JSON. An object with values of different types is written `["a": 1, "b": "x"] as
/// RequestParameters`.
///
/// A value without a representation, such as NaN, is an error of the request that has the parameters.
public struct RequestParameters: Sendable {
    /// The parameters as a document, or the error of the value that has no representation.
    package let content: Result<Document, MappingError>

    private static let none = RequestParameters([:] as Document)

    /// Creates empty parameters.
    public init() {
        self = .none
    }

    /// Creates parameters that are a document: an object, or for the body of a request, any value.
    public init(_ document: Document) {
        content = .success(document)
    }

    /// Creates parameters that are the representation of a value by its default mapping.
    public init(_ value: some MappableValue) {
        content = Result { () throws(MappingError) in try Document(representing: value) }
    }

    /// A Boolean value that indicates whether the parameters are an object without members.
    public var isEmpty: Bool {
        guard case .success(let document) = content else { return false }
        return document.isEmptyObject
    }
}

extension RequestParameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters with the given names and values, in the given order.
    public init(dictionaryLiteral members: (String, (any MappableValue)?)...) {
        guard !members.isEmpty else {
            self = .none
            return
        }
        content = Result { () throws(MappingError) in
            var builder = DocumentBuilder()
            builder.beginObject()
            for (name, value) in members {
                builder.key(name)
                try builder.represent(value)
            }
            builder.end()
            return builder.finish()
        }
    }
}

extension RequestParameters: MappableValue {
    /// Copies a value of any kind.
    public static func map(
        from source: ValueSource
    ) throws(MappingFailure) -> RequestParameters {
        RequestParameters(try Document.map(from: source))
    }

    /// Writes the parameters with all their contents.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        switch content {
        case .success(let document): try writer.value(document.root)
        case .failure(let error):
            throw writer.failed(
                .malformedValue, error.issue?.expected ?? "a value with a representation",
                found: error.issue?.found ?? "one without")
        }
    }
}

extension DocumentBuilder {
    fileprivate mutating func represent(
        _ value: (any MappableValue)?
    ) throws(MappingError) {
        switch value {
        case nil: null()
        case let text as String: string(text)
        case let number as Int: self.number(number)
        case let value?: self.value(try Document(representing: value).root)
        }
    }
}

extension Document {
    /// A Boolean value that indicates whether the document is an object without members.
    var isEmptyObject: Bool { root.kind == .object && root.count == 0 }
}
