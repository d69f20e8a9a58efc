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
/// in JSON; ``ParameterStyle`` has other forms of it in a query. An object with values of different
/// types is written `["a": 1, "b": "x"] as RequestParameters`. A repeated name is a list of its values,
/// as in a form that is read: `["tag": "x", "tag": "y"]` is `["tag": ["x", "y"]]`.
///
/// Dates are in the ``ObjectManager/dateFormat`` of the manager that sends the request. A value
/// without a representation, such as NaN, is an error of the request that has the parameters.
public struct RequestParameters: Sendable {
    /// The parameters, or the error of the value that has no representation.
    private let content: Result<DatedDocument, MappingError>

    /// A Boolean value that indicates whether there are no parameters, as opposed to an empty object,
    /// which is the body of a request.
    package let isAbsent: Bool

    private static let none = RequestParameters(.success(DatedDocument([:])), isAbsent: true)

    private init(_ content: Result<DatedDocument, MappingError>, isAbsent: Bool = false) {
        self.content = content
        self.isAbsent = isAbsent
    }

    /// Returns the parameters as a document with dates in a format.
    ///
    /// - Throws: ``/RestMapping/MappingError`` for a value without a representation, or a date that the
    ///   format cannot represent.
    package func document(dates: DateFormat) throws(MappingError) -> Document {
        try content.get().document(dates: dates)
    }

    /// Creates empty parameters.
    public init() {
        self = .none
    }

    /// Creates parameters that are a document: an object, or for the body of a request, any value.
    ///
    /// An empty object is the body `{}` of a PATCH, POST, PUT or QUERY request, unlike the empty
    /// literal `[:]`, which is no parameters.
    public init(_ document: Document) {
        self.init(.success(DatedDocument(document)))
    }

    /// Creates parameters that are the representation of a value by its default mapping.
    public init(_ value: some MappableValue) {
        self.init(
            Result { () throws(MappingError) in try DatedDocument(representing: value) })
    }

    /// Returns the parameters with another one; parameters that are an error stay as they are.
    package func adding(_ text: String, named name: String) -> RequestParameters {
        RequestParameters(
            Result { () throws(MappingError) in try content.get().adding(text, named: name) })
    }

    /// A Boolean value that indicates whether the parameters are an object without members.
    public var isEmpty: Bool {
        guard case .success(let content) = content else { return false }
        return content.document.isEmptyObject
    }
}

extension RequestParameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters with the given names and values, in the given order.
    public init(dictionaryLiteral members: (String, (any MappableValue)?)...) {
        self =
            members.isEmpty
            ? .none
            : RequestParameters(
                Result { () throws(MappingError) in try DatedDocument(members: members) })
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
        case .success(let content): try writer.value(content)
        case .failure(let error):
            throw writer.failed(
                .malformedValue, error.issue?.expected ?? "a value with a representation",
                found: error.issue?.found ?? "one without")
        }
    }
}

extension Document {
    /// A Boolean value that indicates whether the document is an object without members.
    var isEmptyObject: Bool { root.kind == .object && root.count == 0 }
}
