// SPDX-License-Identifier: Apache-2.0

// Literals, so that small documents read like JSON:
//
//     let document: Document = ["id": 42, "tags": ["new", nil]]

extension Document: ExpressibleByNilLiteral {
    /// A document that is `null`.
    public init(nilLiteral: ()) {
        self = Document.building { $0.null() }
    }
}

extension Document: ExpressibleByBooleanLiteral {
    /// A document that is `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = Document.building { $0.bool(value) }
    }
}

extension Document: ExpressibleByIntegerLiteral {
    /// A document that is a whole number.
    public init(integerLiteral value: Int64) {
        self = Document.building { $0.number(value) }
    }
}

extension Document: ExpressibleByFloatLiteral {
    /// A document that is a number; a literal beyond the range of `Double` traps.
    public init(floatLiteral value: Double) {
        self = Document.building { builder in
            do {
                try builder.number(value)
            } catch {
                preconditionFailure("a literal is a finite number")
            }
        }
    }
}

extension Document: ExpressibleByStringLiteral {
    /// A document that is text; ``Document/init(parsing:limits:)`` reads JSON.
    public init(stringLiteral value: String) {
        self = Document.building { $0.string(value) }
    }
}

extension Document: ExpressibleByArrayLiteral {
    /// A document that is an array of documents.
    public init(arrayLiteral elements: Document...) {
        self = Document.building { builder in
            builder.beginArray()
            for element in elements { builder.value(element) }
            builder.end()
        }
    }
}

extension Document: ExpressibleByDictionaryLiteral {
    /// A document that is an object with members in this order.
    public init(dictionaryLiteral members: (String, Document)...) {
        self = Document.building { builder in
            builder.beginObject()
            for (key, value) in members {
                builder.key(key)
                builder.value(value)
            }
            builder.end()
        }
    }
}

extension Document {
    private static func building(_ body: (inout DocumentBuilder) -> Void) -> Document {
        var builder = DocumentBuilder()
        body(&builder)
        return builder.finish()
    }
}
