// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// The parameters as a document, or the error of the value that has no representation.
    package let content: Result<Document, MappingError>

    /// The document with seconds since 1970 in place of dates; `nil` if it has no dates.
    private let seconds: Document?

    /// A Boolean value that indicates whether there are no parameters, as opposed to an empty object,
    /// which is the body of a request.
    let isAbsent: Bool

    private static let none = RequestParameters([:], isAbsent: true)

    private init(_ document: Document, isAbsent: Bool) {
        content = .success(document)
        seconds = nil
        self.isAbsent = isAbsent
    }

    /// Creates parameters from a function that returns their document with dates in a format.
    private init(
        mayHaveDates: Bool = true, _ document: (DateFormat) throws(MappingError) -> Document
    ) {
        content = Result { () throws(MappingError) in try document(.iso8601) }
        isAbsent = false
        guard mayHaveDates, case .success(let content) = content,
            let seconds = try? document(.seconds),
            seconds != content
        else {
            self.seconds = nil
            return
        }
        self.seconds = seconds
    }

    /// Returns the parameters as a document, with dates in a format.
    ///
    /// A date that the format cannot represent is an error.
    package func document(dates: DateFormat) -> Result<Document, MappingError> {
        guard let seconds, dates != .iso8601, case .success(let original) = content else {
            return content
        }
        return Result { () throws(MappingError) in
            var builder = DocumentBuilder()
            try builder.copy(original.root, seconds.root, dates)
            return builder.finish()
        }
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
        self.init(document, isAbsent: false)
    }

    /// Creates parameters that are the representation of a value by its default mapping.
    public init(_ value: some MappableValue) {
        self.init { dates throws(MappingError) in
            try Document(representing: value, dates: dates)
        }
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
        let isPlain = members.allSatisfy { $0.1 == nil || $0.1 is String || $0.1 is Int }
        let counts = Dictionary(members.map { ($0.0, 1) }, uniquingKeysWith: +)
        self.init(mayHaveDates: !isPlain) { dates throws(MappingError) in
            var builder = DocumentBuilder()
            builder.beginObject()
            var known: Set<String> = []
            for (name, value) in members where known.insert(name).inserted {
                builder.key(name)
                guard counts[name] != 1 else {
                    try builder.represent(value, dates)
                    continue
                }
                builder.beginArray()
                for member in members where member.0 == name {
                    try builder.represent(member.1, dates)
                }
                builder.end()
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
        switch document(dates: writer.dates) {
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
        _ value: (any MappableValue)?, _ dates: DateFormat
    ) throws(MappingError) {
        switch value {
        case nil: null()
        case let text as String: string(text)
        case let number as Int: self.number(number)
        case let value?: self.value(try Document(representing: value, dates: dates).root)
        }
    }

    /// Adds a copy of a value in which dates, which another copy has as seconds, have a format.
    fileprivate mutating func copy(
        _ node: Node, _ seconds: Node, _ dates: DateFormat
    ) throws(MappingError) {
        switch (node.kind, seconds.kind) {
        case (.object, .object):
            beginObject()
            for (member, other) in zip(node.members, seconds.members) {
                key(member.key)
                try copy(member.value, other.value, dates)
            }
            end()
        case (.array, .array):
            beginArray()
            for (element, other) in zip(node.elements, seconds.elements) {
                try copy(element, other, dates)
            }
            end()
        case (.string, .number):
            let date = Date(timeIntervalSince1970: seconds.double ?? 0)
            value(try Document(representing: date, dates: dates).root)
        default: value(node)
        }
    }
}

extension Document {
    /// A Boolean value that indicates whether the document is an object without members.
    var isEmptyObject: Bool { root.kind == .object && root.count == 0 }
}
