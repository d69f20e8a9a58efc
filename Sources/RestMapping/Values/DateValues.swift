// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: MappableValue {
    /// Converts a date: text in one of the mapping's ``DateFormats``, or seconds since 1970 as a
    /// number or as text.
    ///
    /// Where the mapping declares no formats RFC 3339 is a date, and the other formats of the
    /// default chain are a coercion, ``Coercion/textToDate``.
    ///
    /// Source: specification section 3.2.
    public static func map(from source: MappingSource) throws(MappingFailure) -> Date {
        let view = source.node
        if view.kind == .string, !source.hasDates {
            let text = unsafe UnsafeBufferPointer(
                start: view.contentPointer, count: view.contentLength)
            var isRFC3339 = false
            if let date = unsafe DateText.read(text.span, &isRFC3339) {
                if !isRFC3339 { try noteFormat(source) }
                return Date(timeIntervalSince1970: date.secondsSince1970)
            }
        }
        return try otherwise(source)
    }

    private static func otherwise(_ source: MappingSource) throws(MappingFailure) -> Date {
        if source.hasDates, let date = declared(source) { return date }
        let view = source.node
        if view.kind.isNumber {
            guard let seconds = view.double else {
                throw source.failure(.outOfRange, "seconds since 1970")
            }
            try source.coerce(.secondsToDate, "a date")
            return Date(timeIntervalSince1970: seconds)
        }
        guard let text = view.string()?.trimmed else { throw source.mismatch("a date") }
        if !source.hasDates, view.kind != .string || text.utf8.count < view.contentLength,
            let date = DateText.read(Array(text.utf8).span)
        {
            try noteFormat(source)
            return Date(timeIntervalSince1970: date.secondsSince1970)
        }
        guard let seconds = NumberText.double(text) else {
            throw source.failure(.malformedValue, "a date such as 2011-07-07T04:35:28Z")
        }
        try source.coerce(.secondsToDate, "a date")
        return Date(timeIntervalSince1970: seconds)
    }

    /// Lets a date pass that is in none of the declared formats.
    private static func noteFormat(_ source: MappingSource) throws(MappingFailure) {
        guard source.allows(.textToDate) else {
            throw source.failure(.malformedValue, "a date of RFC 3339")
        }
        source.noteCoercion(.textToDate)
    }

    /// The date by the first of the mapping's own formats that fits.
    private static func declared(_ source: MappingSource) -> Date? {
        for format in source.dates.formats {
            if let date = format.date(from: source.node) { return date }
        }
        return nil
    }

    /// Writes text in the format the mapping declares, `1970-01-01T00:00:00Z` if none; a format that
    /// is seconds or milliseconds writes a number.
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.date(self)
    }
}

extension DateFormat {
    /// The date that a value of a document is, or nil if the format does not fit.
    func date(from view: NodeView) -> Date? {
        switch view.kind {
        case .string:
            let text = unsafe UnsafeBufferPointer(
                start: view.contentPointer, count: view.contentLength)
            return unsafe date(from: text.span)
        case .escapedString: return view.string().flatMap { date(from: $0) }
        default: return view.double.flatMap { date(from: $0) }
        }
    }
}

extension MappingSource {
    /// Whether the mapping has date formats of its own.
    var hasDates: Bool { unsafe step.pointee.hasDates }

    /// The mapping's date formats.
    var dates: DateFormats { context.plan.conversions[unsafe Int(step.pointee.mapping)].dates }

    /// Whether this is blank text for a date, and the mapping takes that for no date; notes it.
    @usableFromInline
    func isBlankDate(_ type: Any.Type) -> Bool {
        guard type == Date.self, allows(.blankToNull), node.string()?.trimmed.isEmpty == true
        else { return false }
        noteCoercion(.blankToNull)
        return true
    }
}
