// SPDX-License-Identifier: Apache-2.0

/// Named values that go out with a request, in the order they were given.
///
/// ```swift
/// try await api.getObjects(Article.self, at: "articles", parameters: ["tags": ["swift", "rest"]])
/// ```
public struct RequestParameters: Sendable, Hashable {
    /// One named value.
    public struct Entry: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: Value

        /// Makes an entry.
        public init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// A value: null, a boolean, a number, text, or a collection of these.
    public enum Value: Sendable, Hashable {
        /// No value, but a name.
        case null
        /// A truth value.
        case boolean(Bool)
        /// A whole number.
        case integer(Int64)
        /// A whole number above the range of `Int64`.
        case unsigned(UInt64)
        /// A number with a fraction.
        case double(Double)
        /// Text.
        case string(String)
        /// Values in order.
        case array([Value])
        /// Named values.
        case object(RequestParameters)
    }

    /// The named values.
    public var entries: [Entry]

    /// Makes parameters of entries.
    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a name; setting replaces it in its place, setting `nil` removes it.
    public subscript(name: String) -> Value? {
        get { entries.first { $0.name == name }?.value }
        set {
            let index = entries.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(name, value))
            case (nil, nil): break
            }
        }
    }
}

extension RequestParameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters of pairs; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init()
        for (name, value) in elements {
            self[name] = value
        }
    }
}

extension RequestParameters.Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a null.
    public init(nilLiteral: ()) { self = .null }

    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Makes a number.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Makes text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a list of values.
    public init(arrayLiteral elements: RequestParameters.Value...) { self = .array(elements) }

    /// Makes named values; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, RequestParameters.Value)...) {
        var parameters = RequestParameters()
        for (name, value) in elements {
            parameters[name] = value
        }
        self = .object(parameters)
    }
}
