// SPDX-License-Identifier: Apache-2.0

// Literals, so that small documents read like JSON; values that are not literals say what they are:
//
//     let document: Document = ["id": .number(id), "name": "\(first) \(last)", "tags": ["new", nil]]

extension Document {
    /// `null`.
    public static let null: Document = nil

    /// A document that is `true` or `false`.
    public static func bool(_ value: Bool) -> Document {
        building { $0.bool(value) }
    }

    /// A document that is a whole number.
    public static func number(_ value: some FixedWidthInteger) -> Document {
        building { $0.number(value) }
    }

    /// A document that is a number, written with the fewest digits that read back as the same.
    ///
    /// - Throws: ``DocumentError/Code/invalidNumber`` for infinities and NaN, which JSON has not.
    public static func number(_ value: Double) throws(DocumentError) -> Document {
        var builder = DocumentBuilder()
        try builder.number(value)
        return builder.finish()
    }

    /// A document that is text; ``Document/init(parsing:limits:)-(String,_)`` reads JSON.
    public static func string(_ value: String) -> Document {
        building { $0.string(value) }
    }

    /// A document that is an array of documents.
    public static func array(_ elements: some Sequence<Document>) -> Document {
        building { builder in
            builder.beginArray()
            for element in elements { builder.value(element) }
            builder.end()
        }
    }

    /// A document that is an object with members in this order.
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
    /// A document that is `null`.
    public init(nilLiteral: ()) {
        self = Document.building { $0.null() }
    }
}

extension Document: ExpressibleByBooleanLiteral {
    /// A document that is `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension Document: ExpressibleByIntegerLiteral {
    /// A document that is a whole number.
    public init(integerLiteral value: Int64) {
        self = .number(value)
    }
}

extension Document: ExpressibleByFloatLiteral {
    /// A document that is a number; a literal beyond the range of `Double` traps.
    public init(floatLiteral value: Double) {
        do {
            self = try .number(value)
        } catch {
            preconditionFailure("a literal is a finite number")
        }
    }
}

extension Document: ExpressibleByStringInterpolation {
    /// A document that is text; ``Document/init(parsing:limits:)-(String,_)`` reads JSON.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension Document: ExpressibleByArrayLiteral {
    /// A document that is an array of documents.
    public init(arrayLiteral elements: Document...) {
        self = .array(elements)
    }
}

extension Document: ExpressibleByDictionaryLiteral {
    /// A document that is an object with members in this order.
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
