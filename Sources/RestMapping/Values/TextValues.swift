// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension String: MappableValue {
    /// Converts text; a number becomes its text as written, a boolean `true` or `false`.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> String {
        if let text = source.node.string() { return text }
        return try otherwise(source)
    }

    @usableFromInline
    static func otherwise(_ source: MappingSource) throws(MappingFailure) -> String {
        let view = source.node
        switch view.kind {
        case .integer, .unsigned, .double, .numberText:
            source.noteCoercion()
            return view.numberText ?? ""
        case .true, .false:
            source.noteCoercion()
            return view.kind == .true ? "true" : "false"
        default:
            throw source.mismatch("text")
        }
    }

    /// The text without white space at its ends.
    var trimmed: String {
        guard let first = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}

extension Bool: MappableValue {
    /// Converts a boolean; a number is true unless zero, and `true`, `t`, `yes`, `y`, `1` with
    /// their opposites are understood in any case.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Bool {
        switch source.node.kind {
        case .true: return true
        case .false: return false
        default: return try otherwise(source)
        }
    }

    @usableFromInline
    static func otherwise(_ source: MappingSource) throws(MappingFailure) -> Bool {
        let view = source.node
        if view.kind.isNumber {
            source.noteCoercion()
            return view.double != 0
        }
        guard let text = view.string() else { throw source.mismatch("a boolean") }
        switch text.trimmed.lowercased() {
        case "true", "t", "yes", "y", "1":
            source.noteCoercion()
            return true
        case "false", "f", "no", "n", "0":
            source.noteCoercion()
            return false
        default:
            throw source.failure(.malformedValue, "the text of a boolean")
        }
    }
}
