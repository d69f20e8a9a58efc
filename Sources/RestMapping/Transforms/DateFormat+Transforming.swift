// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DateFormat: ValueTransforming {
    /// What the format is called, such as its pattern.
    public var name: String { description }

    /// Whether it is between text and dates, or between numbers and dates for a format of numbers.
    public func canTransform(from input: Any.Type, to output: Any.Type) -> Bool {
        transformer.canTransform(from: input, to: output)
    }

    /// Converts between dates and how they are written.
    ///
    /// Blank text is null for ``seconds`` and ``milliseconds``. Text that has not even the shape of
    /// a ``timestamp`` is not acceptable to it; for other formats that is a failed conversion.
    ///
    /// - Throws: ``TransformFailure`` as all transformers do.
    public func transform(_ value: Any?, to output: Any.Type) throws(TransformFailure) -> Any? {
        try transformer.transform(value, to: output)
    }

    private var transformer: Transformer {
        let isNumber = kind == .seconds || kind == .milliseconds
        let texts = TypeSet.type(String.self)
        let written = isNumber ? texts.union(.numbers) : texts
        return Transformer(
            name,
            [
                Transformer.Direction(
                    input: written, output: .type(Date.self),
                    accepts: { value in
                        guard let text = value as? String else { return value != nil }
                        return kind != .timestamp || DateFormat.hasTimestampShape(text)
                    },
                    convert: { value, _ in
                        if let text = value as? String {
                            let text = isNumber ? text.trimmed : text
                            if isNumber, text.isEmpty { return .null }
                            return Transformer.Outcome(date(from: text))
                        }
                        guard let number = value as? any NumberType else { return .failed }
                        return Transformer.Outcome(date(from: number.nearestDouble))
                    }),
                Transformer.Direction(input: .type(Date.self), output: written) { value, output in
                    guard let date = value as? Date else { return .failed }
                    guard let type = output as? any NumberType.Type else {
                        return Transformer.Outcome(text(from: date))
                    }
                    return Transformer.Outcome(type.number(of: number(from: date)))
                },
            ])
    }
}
