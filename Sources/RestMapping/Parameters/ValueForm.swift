// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a mapping says about the form of a property's values, where it says anything.
struct ValueForm: Sendable {
    /// Replaces what the type itself would write.
    var transform: (any ErasedParameterTransform)?
    /// How dates are written.
    var dates = DateFormat.iso8601
    /// Whether decimals are numbers instead of text.
    var hasNumericDecimals = false
    /// Says how a type that encodes itself does so.
    var codable: CodableMapping?
}

/// A transform in a list of many, found again by its type.
protocol ErasedParameterTransform: Sendable {
    var name: String { get }
}

/// A value that may hold others of which it writes each in the declared form.
protocol ValueContainer {}

extension Optional: ValueContainer {}
extension Field: ValueContainer {}
extension Array: ValueContainer {}
extension DistinctArray: ValueContainer {}
extension Set: ValueContainer {}
extension Dictionary: ValueContainer {}

extension RepresentationWriter {
    /// Writes a value through the transform the mapping declares.
    @usableFromInline
    mutating func writeTransformed<Value: MappableValue>(_ value: Value) throws(MappingFailure) {
        guard !isTransformed, let erased = unsafe plan.forms[Int(step.pointee.form)].transform
        else { return try value.write(to: &self) }
        guard let transform = erased as? ParameterTransform<Value> else {
            if Value.self is any ValueContainer.Type { return try value.write(to: &self) }
            throw failed(.transformFailed, "a transform of \(Value.self)", found: erased.name)
        }
        isTransformed = true
        try transform.apply(value, &self)
        isTransformed = false
    }

    /// Which form the mapping declares for values where the writer is; less than 0 for none.
    private var form: Int { unsafe Int(step.pointee.form) }

    /// What the mapping says of an object that encodes itself; nil if it says nothing.
    var codable: CodableMapping? { form < 0 ? nil : plan.forms[form].codable }

    mutating func date(_ date: Date) throws(MappingFailure) {
        let format = form < 0 ? .iso8601 : plan.forms[form].dates
        if format.append(date, to: output) { return }
        guard let text = format.text(from: date) else {
            throw failed(
                .outOfRange, "a date within the years 0 to 9999", found: "a date beyond them")
        }
        if format.isNumber { output.appendPlain(text) } else { string(text) }
    }

    mutating func decimal(_ decimal: Decimal) throws(MappingFailure) {
        if decimal.isNaN { throw notFinite() }
        let isNumber = form >= 0 && plan.forms[form].hasNumericDecimals
        if let parts = DecimalParts(decimal) {
            if !isNumber { output.appendByte(UInt8(ascii: "\"")) }
            output.append(
                digits: parts.significand, fractionDigits: parts.fractionDigits,
                isNegative: parts.isNegative)
            if !isNumber { output.appendByte(UInt8(ascii: "\"")) }
            return
        }
        let text = DecimalText.text(of: decimal)
        if isNumber { output.appendPlain(text) } else { string(text) }
    }

    /// Chooses the object plan of a dynamic mapping.
    @usableFromInline
    mutating func choose(
        _ choice: Int, for subject: some RepresentationSource
    ) throws(MappingFailure) -> Int {
        for candidate in plan.choices[choice].candidates where candidate.fits(subject) {
            return candidate.object
        }
        throw failed(
            .undetermined, "an object that a mapping is declared for", found: "none")
    }
}

extension DateFormat {
    /// Whether its texts are numbers.
    fileprivate var isNumber: Bool { kind == .seconds || kind == .milliseconds }
}
