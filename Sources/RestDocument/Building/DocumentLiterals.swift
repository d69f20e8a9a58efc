// SPDX-License-Identifier: Apache-2.0

// Literals let small documents read like JSON. Values that are not literals name their kind:
//
//     let document: Document = ["id": .number(id), "name": "\(first) \(last)", "tags": ["new",
//     nil]]

extension Document {
    /// The document `null`.
    public static let null: Document = nil

    /// Returns a document with a Boolean value.
    public static func bool(_ value: Bool) -> Document {
        building { $0.bool(value) }
    }

    /// Returns a document with an integer.
    public static func number(_ value: some FixedWidthInteger) -> Document {
        building { $0.number(value) }
    }

    /// Returns a document with a number, written with the fewest digits that read back as the same
    /// double.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` for infinities and NaN, which JSON cannot
    ///   express.
    public static func number(_ value: Double) throws(DocumentError) -> Document {
        var builder = DocumentBuilder()
        try builder.number(value)
        return builder.finish()
    }

    /// Returns a document with a string.
    ///
    /// To parse JSON, use ``Document/init(parsing:limits:)-(String,_)``.
    public static func string(_ value: String) -> Document {
        building { $0.string(value) }
    }

    /// Returns a document with an array of documents.
    public static func array(_ elements: some Sequence<Document>) -> Document {
        building { builder in
            builder.beginArray()
            for element in elements { builder.value(element) }
            builder.end()
        }
    }

    /// Returns a document with an object that has the members in the given order.
    public static func object(_ members: some Sequence<(String, Document)>) -> Document {
        building { builder in
            builder.beginObject()
            for (key, value) in members {
                builder.key(key)
                builder.value(value)
            }
            builder.end()
        }
    }
}

extension Document: ExpressibleByNilLiteral {
    /// Creates the document `null`.
    public init(nilLiteral: ()) {
        self = Document.building { $0.null() }
    }
}

extension Document: ExpressibleByBooleanLiteral {
    /// Creates a document with a Boolean value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension Document: ExpressibleByIntegerLiteral {
    /// Creates a document with an integer.
    public init(integerLiteral value: Int64) {
        self = .number(value)
    }
}

extension Document: ExpressibleByFloatLiteral {
    /// Creates a document with a number.
    ///
    /// A literal beyond the range of `Double` traps.
    public init(floatLiteral value: Double) {
        do {
            self = try .number(value)
        } catch {
            preconditionFailure("the literal is beyond the range of Double")
        }
    }
}

extension Document: ExpressibleByStringInterpolation {
    /// Creates a document with a string.
    ///
    /// To parse JSON, use ``Document/init(parsing:limits:)-(String,_)``.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension Document: ExpressibleByArrayLiteral {
    /// Creates a document with an array of documents.
    public init(arrayLiteral elements: Document...) {
        self = .array(elements)
    }
}

extension Document: ExpressibleByDictionaryLiteral {
    /// Creates a document with an object that has the members in the given order.
    public init(dictionaryLiteral members: (String, Document)...) {
        self = .object(members)
    }
}

extension Document {
    private static func building(_ body: (inout DocumentBuilder) -> Void) -> Document {
        var builder = DocumentBuilder()
        body(&builder)
        return builder.finish()
    }
}
