// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value that contains others, each of which is written with the declared options.
protocol ValueContainer {}

extension Optional: ValueContainer {}
extension Field: ValueContainer {}
extension Expandable: ValueContainer {}
extension Array: ValueContainer {}
extension DistinctArray: ValueContainer {}
extension Set: ValueContainer {}
extension Dictionary: ValueContainer {}

extension RequestWriter {
    /// Writes a value through the transform that the mapping declares.
    @usableFromInline
    mutating func writeTransformed<Value: MappableValue>(_ value: Value) throws(MappingFailure) {
        guard !isTransformed,
            let erased = unsafe plan.valueOptions[Int(step.pointee.options)].transform
        else { return try value.write(to: &self) }
        isTransformed = true
        let isWritten = try erased.write(value, to: &self)
        isTransformed = false
        if isWritten { return }
        guard Value.self is any ValueContainer.Type else {
            throw failed(.transformFailed, "a transform of \(Value.self)", found: erased.name)
        }
        try value.write(to: &self)
    }

    /// The index of the options that the mapping declares for the current value; less than 0 for
    /// none.
    private var optionsIndex: Int { unsafe Int(step.pointee.options) }

    /// The format of dates that the mapping declares for the current step; nil for that of the plan.
    private var declaredDates: DateFormat? {
        optionsIndex < 0 ? nil : plan.valueOptions[optionsIndex].dates
    }

    /// A Boolean value that indicates whether dates that an encoder would write are in another format than
    /// its own, or recorded.
    var replacesEncodedDates: Bool {
        (recordsDates && !isForm) || (declaredDates ?? plan.dates) != .iso8601
    }

    /// The mapping that is declared for an object that encodes itself; nil if there is none.
    var codable: CodableMapping? {
        optionsIndex < 0 ? nil : plan.valueOptions[optionsIndex].codable
    }

    mutating func date(_ date: Date) throws(MappingFailure) {
        let declared = declaredDates
        if recordsDates, declared == nil, !isForm {
            recordedDates.append(DatedDocument.DateNode(index: output.count, date: date))
        }
        let format = declared ?? plan.dates
        if format.append(date, to: output) {
            if isForm { addOutput() }
            return
        }
        let text = try text(of: date, in: format)
        if format.isNumber { plain(text) } else { string(text) }
    }

    /// Returns the text of a date in the format of the current step.
    mutating func text(of date: Date) throws(MappingFailure) -> String {
        try text(of: date, in: declaredDates ?? plan.dates)
    }

    private mutating func text(
        of date: Date, in format: DateFormat
    ) throws(MappingFailure) -> String {
        if let text = format.text(from: date) { return text }
        throw failed(
            .outOfRange, "a date within the years 0 to 9999", found: "a date beyond them")
    }

    mutating func decimal(_ decimal: Decimal) throws(MappingFailure) {
        if decimal.isNaN { throw notFinite() }
        let isNumber = optionsIndex >= 0 && plan.valueOptions[optionsIndex].hasNumericDecimals
        if let parts = DecimalParts(decimal) {
            if !isNumber { output.appendByte(UInt8(ascii: "\"")) }
            output.append(
                digits: parts.significand, fractionDigits: parts.fractionDigits,
                isNegative: parts.isNegative)
            if !isNumber { output.appendByte(UInt8(ascii: "\"")) }
            if isForm { addOutput() }
            return
        }
        let text = DecimalText.text(of: decimal)
        if isNumber { plain(text) } else { string(text) }
    }

    /// Writes the text of a number.
    private mutating func plain(_ text: String) {
        output.appendPlain(text)
        if isForm { addOutput() }
    }

    /// Returns the object plan that a dynamic mapping chooses.
    @usableFromInline
    mutating func choose(
        _ choice: Int, for subject: some RequestSubject
    ) throws(MappingFailure) -> Int {
        for candidate in plan.choices[choice].candidates where candidate.matches(subject) {
            return candidate.object
        }
        throw failed(
            .undetermined, "an object with a mapping", found: "an object without one")
    }
}

extension DateFormat {
    /// A Boolean value that indicates whether the format's texts are numbers.
    fileprivate var isNumber: Bool { kind == .seconds || kind == .milliseconds }
}
