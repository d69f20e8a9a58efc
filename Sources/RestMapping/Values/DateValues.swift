// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestSyntax

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: MappableValue {
    /// Converts text in one of the mapping's ``DateFormats``, or a number of seconds since 1970 within
    /// the years 0 to 9999.
    ///
    /// If the mapping declares no formats, RFC 3339 is a date, and the other standard formats are a
    /// coercion, ``Coercion/textToDate``. The text of a number, such as a year, is a date only if a
    /// format is declared for it.
    ///
    /// Source: specification section 3.2.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Date {
        let view = source.view
        if view.kind == .string, !source.hasDates {
            let text = unsafe UnsafeBufferPointer(
                start: view.contentPointer, count: view.contentLength)
            var isRFC3339 = false
            if let date = unsafe DateText.read(text.span, &isRFC3339) {
                if !isRFC3339 { try noteFormat(source) }
                return Date(timeIntervalSince1970: date.secondsSince1970)
            }
        }
        return try mapOtherKind(from: source)
    }

    private static func mapOtherKind(from source: ValueSource) throws(MappingFailure) -> Date {
        if source.hasDates, let date = declared(source) { return date }
        let view = source.view
        if view.kind.isNumber {
            guard source.allows(.secondsToDate) else { throw source.mismatch("a date") }
            guard let date = view.double.flatMap({ DateFormat.date(ofSeconds: $0) }) else {
                throw source.failure(
                    .outOfRange, "seconds since 1970, or a declared format such as milliseconds")
            }
            source.noteCoercion(.secondsToDate)
            return date
        }
        guard let text = view.string()?.trimmed else { throw source.mismatch("a date") }
        if !source.hasDates, view.kind != .string || text.utf8.count < view.contentLength,
            let date = DateText.read(Array(text.utf8).span)
        {
            try noteFormat(source)
            return Date(timeIntervalSince1970: date.secondsSince1970)
        }
        throw source.failure(
            .malformedValue,
            NumberText.double(text) == nil
                ? "a date such as 2011-07-07T04:35:28Z"
                : "a date, or a declared format for the text of a number")
    }

    /// Notes a date in a format that is not declared, if the mapping allows it.
    private static func noteFormat(_ source: ValueSource) throws(MappingFailure) {
        guard source.allows(.textToDate) else {
            throw source.failure(.malformedValue, "a date of RFC 3339")
        }
        source.noteCoercion(.textToDate)
    }

    /// Returns the date by the first of the declared formats that matches.
    private static func declared(_ source: ValueSource) -> Date? {
        for format in source.dates.formats {
            if let date = format.date(from: source.view) { return date }
        }
        return nil
    }

    /// Writes text in the format that the mapping declares, `1970-01-01T00:00:00Z` by default; a
    /// format in seconds or milliseconds writes a number.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.date(self)
    }
}

extension DateFormat {
    /// Returns the date of a document's value, or nil if the format does not match.
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

extension ValueSource {
    /// A Boolean value that indicates whether the mapping has date formats of its own.
    var hasDates: Bool { unsafe step.pointee.hasDates }

    /// The mapping's date formats.
    var dates: DateFormats { context.plan.dates[unsafe Int(step.pointee.mapping)] }

    /// Returns a Boolean value that indicates whether the value is blank text for a date and the
    /// mapping treats that as nil; counts the coercion.
    @usableFromInline
    func isBlankDate(_ type: Any.Type) -> Bool {
        guard type == Date.self, allows(.blankToNull), view.string()?.trimmed.isEmpty == true
        else { return false }
        noteCoercion(.blankToNull)
        return true
    }
}
