// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A position among the records of a list: a date, a number, or other text.
struct CursorValue: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case date(Double)
        case number(Double)
        case text
    }

    /// The position as the server wrote it.
    let text: String
    private let kind: Kind

    init(_ text: String) {
        self.text = text
        kind =
            if let number = Double(text) {
                .number(number)
            } else if let seconds = Self.seconds(of: text) {
                .date(seconds)
            } else {
                .text
            }
    }

    /// Creates the position of a record; `nil` if it has none.
    init?(of record: Node, at path: DocumentPath) {
        guard let node = record[path], let text = node.string ?? node.numberText, !text.isEmpty
        else { return nil }
        self.init(text)
    }

    /// Returns the number of seconds since 1970 of a date; `nil` for other text.
    static func seconds(of text: String) -> Double? {
        let bytes = Array(text.utf8)
        return DateText.read(bytes.span)?.secondsSince1970
    }

    /// The number of seconds since 1970 of a position in a format; `nil` if it is no date.
    func seconds(as format: CursorDefinition.Format) -> Double? {
        switch (kind, format) {
        case (.date(let seconds), _): seconds
        case (.number(let number), .unixMilliseconds): number / 1000
        case (.number(let number), .unixSeconds): number
        default: nil
        }
    }

    /// Returns a Boolean value that indicates whether a position is after another one.
    static func > (left: CursorValue, right: CursorValue) -> Bool {
        switch (left.kind, right.kind) {
        case (.date(let left), .date(let right)), (.number(let left), .number(let right)):
            return left > right
        default: return left.text > right.text
        }
    }
}

/// The text of positions in requests.
struct CursorFormat: Sendable {
    let cursor: CursorDefinition

    init(_ cursor: CursorDefinition) { self.cursor = cursor }

    /// Returns the start of the interval of a walk after the position that the last one reached.
    ///
    /// It is before the position by the lookback of the definition. Without one, it is before the position by
    /// one unit: some servers leave out records at the start itself, and further records can have the time
    /// of the last one.
    func start(after position: CursorValue) -> String {
        if let seconds = position.seconds(as: cursor.format) {
            var lookback = 1.0
            if case .duration(let duration)? = cursor.lookback { lookback = duration / .seconds(1) }
            return text(seconds: seconds - lookback, like: position.text)
        }
        if let number = Int64(position.text) {
            var lookback: Int64 = 1
            if case .count(let count)? = cursor.lookback { lookback = count }
            return String(number - lookback)
        }
        return position.text
    }

    /// Returns a date in the format of the definition.
    ///
    /// - Parameters:
    ///   - seconds: The number of seconds since 1970.
    ///   - example: A position that the server has written, for the format `verbatim`.
    /// - Returns: The text.
    func text(seconds: Double, like example: String? = nil) -> String {
        switch cursor.format {
        case .unixSeconds: return String(Int64(seconds.rounded(.down)))
        case .unixMilliseconds: return String(Int64((seconds * 1000).rounded(.down)))
        case .day: return String(iso(seconds).prefix(10))
        case .pattern(let pattern):
            guard let pattern = try? DatePattern(pattern),
                let date = CivilDate(secondsSince1970: seconds.rounded(.down))
            else { return iso(seconds) }
            return pattern.text(of: date, offset: 0)
        case .verbatim where example?.utf8.count == 10: return String(iso(seconds).prefix(10))
        case .verbatim, .iso8601, .integer: return iso(seconds)
        }
    }

    private func iso(_ seconds: Double) -> String {
        CivilDate(secondsSince1970: seconds.rounded(.down))?.rfc3339(offset: 0) ?? ""
    }
}
