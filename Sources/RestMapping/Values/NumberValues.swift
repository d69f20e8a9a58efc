// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension MappableValue where Self: FixedWidthInteger {
    /// Converts a number without loss; `true` is 1, and text that is a number is converted.
    ///
    /// Other text and numbers that do not fit are converted only under ``Coercions/lenient``.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Self {
        let node = source.view.tapeNode
        if node.kind == .integer, let value = Self(exactly: Int64(bitPattern: node.payload)) {
            return value
        }
        return try mapOtherKind(from: source)
    }

    @usableFromInline
    static func mapOtherKind(from source: ValueSource) throws(MappingFailure) -> Self {
        let view = source.view
        switch view.kind {
        case .integer, .unsigned, .double, .numberText:
            if let value = whole(view) { return value }
            guard source.allows(.numberToNearest) else {
                throw source.failure(.outOfRange, "a whole number that fits \(Self.self)")
            }
            source.noteCoercion(.numberToNearest)
            return NumberText.leadingWhole(view.numberText ?? "")
        case .true, .false:
            try source.coerce(.booleanToNumber, "a whole number")
            return view.kind == .true ? 1 : 0
        case .string, .escapedString:
            let text = view.string() ?? ""
            if let value: Self = NumberText.whole(text) {
                try source.coerce(.textToNumber, "a whole number")
                return value
            }
            guard source.allows(.lossyTextToNumber) else {
                throw source.conversionFailure(.textToNumber, "the text of a whole number")
            }
            source.noteCoercion(.lossyTextToNumber)
            return NumberText.leadingWhole(text)
        default:
            throw source.mismatch("a whole number")
        }
    }

    private static func whole(_ view: NodeView) -> Self? {
        if let value = view.int64 { return Self(exactly: value) }
        if let value = view.uint64 { return Self(exactly: value) }
        return nil
    }

    /// Writes the number.
    public func write(to writer: inout RequestWriter) {
        if let value = Int64(exactly: self) {
            writer.number(value)
        } else {
            writer.number(wide: self)
        }
    }
}

extension Int: MappableValue {}
extension Int8: MappableValue {}
extension Int16: MappableValue {}
extension Int32: MappableValue {}
extension Int64: MappableValue {}
extension UInt: MappableValue {}
extension UInt8: MappableValue {}
extension UInt16: MappableValue {}
extension UInt32: MappableValue {}
extension UInt64: MappableValue {}

extension Double: MappableValue {
    /// Converts a number to the nearest double; text that is a number is converted.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Double {
        let node = source.view.tapeNode
        if node.kind == .double { return Double(bitPattern: node.payload) }
        if node.kind == .integer { return Double(Int64(bitPattern: node.payload)) }
        return try mapOtherKind(from: source)
    }

    @usableFromInline
    static func mapOtherKind(from source: ValueSource) throws(MappingFailure) -> Double {
        let view = source.view
        switch view.kind {
        case .unsigned, .numberText:
            if let value = view.double { return value }
            throw source.failure(.outOfRange, "a number within the range of Double")
        case .true, .false:
            try source.coerce(.booleanToNumber, "a number")
            return view.kind == .true ? 1 : 0
        case .string, .escapedString:
            let text = view.string() ?? ""
            if let value = NumberText.double(text) {
                try source.coerce(.textToNumber, "a number")
                return value
            }
            guard source.allows(.lossyTextToNumber) else {
                throw source.conversionFailure(.textToNumber, "the text of a number")
            }
            source.noteCoercion(.lossyTextToNumber)
            return NumberText.leadingDouble(text)
        default:
            throw source.mismatch("a number")
        }
    }

    /// Writes the number; infinities and NaN have no representation.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.number(self)
    }
}

extension Float: MappableValue {
    /// Converts a number to the nearest float.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Float {
        let value = Float(try Double.map(from: source))
        guard value.isFinite else {
            throw source.failure(.outOfRange, "a number within the range of Float")
        }
        return value
    }

    /// Writes the number; infinities and NaN have no representation.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.number(self)
    }
}
