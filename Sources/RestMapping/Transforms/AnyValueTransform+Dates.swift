// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension AnyValueTransform {
    /// Creates a transform between dates and the text of a date format, or the numbers of a format
    /// that counts seconds or milliseconds.
    ///
    /// Blank text is null for ``DateFormat/seconds`` and ``DateFormat/milliseconds``. Text without
    /// the shape of a ``DateFormat/timestamp`` is not acceptable to that format; for other formats
    /// it is a failed conversion.
    public static func date(_ format: DateFormat) -> AnyValueTransform {
        let isNumber = format.kind == .seconds || format.kind == .milliseconds
        let text = TypeSet.type(String.self)
        let written = isNumber ? text.union(.numbers) : text
        return AnyValueTransform(
            format.description,
            [
                Direction(
                    input: written, output: .type(Date.self),
                    accepts: { value in
                        guard let text = value as? String else { return value != nil }
                        return format.kind != .timestamp || DateFormat.hasTimestampShape(text)
                    },
                    convert: { value, _ in
                        if let text = value as? String {
                            let text = isNumber ? text.trimmed : text
                            if isNumber, text.isEmpty { return .null }
                            return Outcome(format.date(from: text))
                        }
                        guard let number = value as? any NumberType else { return .failed }
                        return Outcome(format.date(from: number.nearestDouble))
                    }),
                Direction(input: .type(Date.self), output: written) { value, output in
                    guard let date = value as? Date else { return .failed }
                    guard let type = output as? any NumberType.Type else {
                        return Outcome(format.text(from: date))
                    }
                    return Outcome(type.number(of: format.number(from: date)))
                },
            ], dateFormat: format)
    }
}
