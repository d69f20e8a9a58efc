// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension String: MappableValue {
    /// Converts text; a number becomes its text as written, a boolean `true` or `false`.
    @inlinable @inline(__always)
    public static func map(from source: ValueSource) throws(MappingFailure) -> String {
        if let text = source.view.string() { return text }
        return try mapOtherKind(from: source)
    }

    @usableFromInline
    static func mapOtherKind(from source: ValueSource) throws(MappingFailure) -> String {
        let view = source.view
        switch view.kind {
        case .integer, .unsigned, .double, .numberText:
            try source.coerce(.numberToText, "text")
            return view.numberText ?? ""
        case .true, .false:
            try source.coerce(.booleanToText, "text")
            return BooleanText.text(of: view.kind == .true)
        default:
            throw source.mismatch("text")
        }
    }

    /// The text without leading and trailing white space.
    var trimmed: String {
        if let first = utf8.first, let last = utf8.last, 0x21..<0x7F ~= first, 0x21..<0x7F ~= last {
            return self
        }
        guard let first = unicodeScalars.firstIndex(where: { !$0.isBlank }),
            let last = unicodeScalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(unicodeScalars[first...last])
    }

    /// Writes the text.
    public func write(to writer: inout RequestWriter) {
        writer.string(self)
    }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether the scalar is white space, ten times as fast as
    /// `properties.isWhitespace`.
    ///
    /// Source: Unicode Character Database, PropList, `White_Space`.
    var isBlank: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
            0x3000:
            true
        default: false
        }
    }
}

extension Bool: MappableValue {
    /// Converts a boolean; a number is true unless zero, and `true`, `t`, `yes`, `y`, `1` with
    /// their opposites are accepted in any case.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Bool {
        switch source.view.kind {
        case .true: return true
        case .false: return false
        default: return try mapOtherKind(from: source)
        }
    }

    @usableFromInline
    static func mapOtherKind(from source: ValueSource) throws(MappingFailure) -> Bool {
        let view = source.view
        if view.kind.isNumber {
            try source.coerce(.numberToBoolean, "a boolean")
            return view.double != 0
        }
        guard let text = view.string() else { throw source.mismatch("a boolean") }
        if let value = BooleanText.read(text) {
            try source.coerce(.textToBoolean, "a boolean")
            return value
        }
        guard source.allows(.lossyTextToNumber) else {
            throw source.conversionFailure(.textToBoolean, "the text of a boolean")
        }
        source.noteCoercion(.lossyTextToNumber)
        return NumberText.leadingDouble(text) != 0
    }

    /// Writes `true` or `false`.
    public func write(to writer: inout RequestWriter) {
        writer.bool(self)
    }
}
