// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
public import RestMapping

/// The conversion from a value of a representation to that of an attribute's column.
///
/// Standard types are converted by specialized code, other types by a closure. The result of a
/// transform must have the type of the property, including its optionality.
@usableFromInline package enum AttributeReading: Sendable {
    case plain(AttributeType, isOptional: Bool)
    case custom(@Sendable (ValueSource) throws(MappingFailure) -> StoredValue)

    init<Value: AttributeValue>(_ type: Value.Type) {
        let plain: [any AttributeValue.Type] = [
            Int.self, Double.self, Decimal.self, String.self, Bool.self, Date.self, UUID.self,
            URL.self, Data.self,
        ]
        let optional: [any AttributeValue.Type] = [
            Int?.self, Double?.self, Decimal?.self, String?.self, Bool?.self, Date?.self,
            UUID?.self, URL?.self, Data?.self,
        ]
        if plain.contains(where: { $0 == type }) || optional.contains(where: { $0 == type }) {
            self = .plain(Value.attributeType, isOptional: Value.isOptional)
        } else {
            self = .custom { source throws(MappingFailure) in
                try Self.storable(
                    source.converted(to: Value.self).storedValue, Value.attributeType, source)
            }
        }
    }

    /// Returns the conversion of a part of a value, such as the last component of a URL.
    static func part(
        _ form: ReferenceDescription.Form, of attribute: String, _ type: AttributeType,
        isOptional: Bool, _ fits: @escaping @Sendable (StoredValue) -> Bool
    ) -> AttributeReading {
        .custom { source throws(MappingFailure) in
            if isOptional, source.view.isNull { return .null }
            let value = try form.identity(
                in: source, of: attribute, type, .plain(type, isOptional: isOptional))
            guard fits(value) else {
                throw source.failure(.outOfRange, "a value that fits \(attribute)")
            }
            return value
        }
    }

    /// Returns the value for the column.
    ///
    /// - Throws: `MappingFailure` if the value cannot be converted; a date outside of the years 0000
    ///   to 9999 is out of range.
    @inlinable package func read(_ source: ValueSource) throws(MappingFailure) -> StoredValue {
        switch self {
        case .plain(let type, let isOptional):
            try Self.value(type, isOptional: isOptional, source)
        case .custom(let read): try read(source)
        }
    }

    @usableFromInline
    static func value(
        _ type: AttributeType, isOptional: Bool, _ source: ValueSource
    ) throws(MappingFailure) -> StoredValue {
        switch type.kind {
        case .integer: try value(Int.self, isOptional, source)
        case .unsignedInteger: try value(UInt64.self, isOptional, source)
        case .double: try value(Double.self, isOptional, source)
        case .decimal: try value(Decimal.self, isOptional, source)
        case .text: try value(String.self, isOptional, source)
        case .boolean: try value(Bool.self, isOptional, source)
        case .date: try storable(value(Date.self, isOptional, source), type, source)
        case .day: try value(CalendarDate.self, isOptional, source)
        case .uuid: try value(UUID.self, isOptional, source)
        case .url: try value(URL.self, isOptional, source)
        case .data: try value(Data.self, isOptional, source)
        case .json: try isOptional ? optionalJSON(source) : json(source)
        }
    }

    @inline(__always)
    private static func value<Value: AttributeValue>(
        _ type: Value.Type, _ isOptional: Bool, _ source: ValueSource
    ) throws(MappingFailure) -> StoredValue {
        isOptional
            ? try source.converted(to: Value?.self).storedValue
            : try source.converted(to: Value.self).storedValue
    }

    private static func optionalJSON(_ source: ValueSource) throws(MappingFailure) -> StoredValue {
        try source.converted(to: Document?.self).map { .text(JSONColumn.text(of: $0.root)) }
            ?? .null
    }

    private static func json(_ source: ValueSource) throws(MappingFailure) -> StoredValue {
        let document = try source.converted(to: Document.self)
        guard document.root.kind != .null else {
            throw source.failure(.nullValue, "a value other than null")
        }
        return .text(JSONColumn.text(of: document.root))
    }

    private static func storable(
        _ value: StoredValue, _ type: AttributeType, _ source: ValueSource
    ) throws(MappingFailure) -> StoredValue {
        guard type.isUnstorable(value) else { return value }
        throw source.failure(
            .outOfRange,
            type.storableRange.map { "a \(type) of \($0)" } ?? "a value that the column can store")
    }
}
