// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension EncodingSession {
    // MARK: Numbers

    /// Returns the string that the strategy substitutes for infinities and NaN; `nil` for a finite
    /// number.
    @inline(__always)
    func text<F: BinaryFloatingPoint>(
        of value: F, in container: ValueEncoder
    ) throws -> String? {
        value.isFinite ? nil : try nonConforming(value) { container.codingPath }
    }

    @inline(__always)
    func text<F: BinaryFloatingPoint>(
        of value: F, in container: ArrayEncodingContainer
    ) throws -> String? {
        if value.isFinite { return nil }
        return try nonConforming(value) {
            container.codingPath + [DocumentKey(intValue: container.count)]
        }
    }

    @inline(__always)
    func text<F: BinaryFloatingPoint, Key: CodingKey>(
        of value: F, in container: ObjectEncodingContainer<Key>, _ key: Key
    ) throws -> String? {
        value.isFinite ? nil : try nonConforming(value) { container.codingPath + [key] }
    }

    private func nonConforming<F: BinaryFloatingPoint>(
        _ value: F, at path: () -> [any CodingKey]
    ) throws -> String {
        guard
            case .convertToString(let positive, let negative, let nan) =
                encoder.nonConformingFloatEncodingStrategy
        else { throw notFinite(value, at: path()) }
        return value.isNaN ? nan : value > 0 ? positive : negative
    }

    /// Appends a number, or the string that represents it.
    @inline(__always)
    func append(_ value: Double, or text: String?) {
        if let text { self.text.appendQuoted(text) } else { self.text.append(value) }
    }

    /// Appends a number, or the string that represents it.
    @inline(__always)
    func append(_ value: Float, or text: String?) {
        if let text { self.text.appendQuoted(text) } else { self.text.append(value) }
    }

    /// Appends a number inside a container.
    func append(_ value: Double, in parent: Int, step: Int) throws {
        let text = value.isFinite ? nil : try nonConforming(value) { path(parent, step) }
        append(value, or: text)
    }

    /// Appends a number inside a container.
    func append(_ value: Float, in parent: Int, step: Int) throws {
        let text = value.isFinite ? nil : try nonConforming(value) { path(parent, step) }
        append(value, or: text)
    }

    private func path(_ parent: Int, _ step: Int) -> [any CodingKey] {
        guard parent >= 0 else { return [] }
        let isArray = self[parent].kind == .array
        return codingPath(of: parent) + [
            isArray
                ? DocumentKey(intValue: step)
                : DocumentKey(stringValue: key(at: step, in: textIndex))
        ]
    }

    // MARK: Types of Foundation

    func append(_ date: Date, in parent: Int, step: Int) throws {
        switch encoder.dateEncodingStrategy {
        case nil, .iso8601:
            guard let moment = CivilDate(secondsSince1970: date.timeIntervalSince1970) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: path(parent, step),
                        debugDescription: "Expected a date of the years 0000 to 9999."))
            }
            text.appendByte(UInt8(ascii: "\""))
            text.appendPlain(moment.rfc3339)
            text.appendByte(UInt8(ascii: "\""))
        case .secondsSince1970:
            try append(date.timeIntervalSince1970, in: parent, step: step)
        case .millisecondsSince1970:
            try append(date.timeIntervalSince1970 * 1000, in: parent, step: step)
        case .deferredToDate:
            try encodeByType(date, in: parent, step: step)
        case .custom(let encode):
            try write(date, in: parent, step: step, by: encode)
        }
    }

    func append(_ data: Data, in parent: Int, step: Int) throws {
        switch encoder.dataEncodingStrategy {
        case .base64:
            text.appendByte(UInt8(ascii: "\""))
            text.appendPlain(data.base64EncodedString())
            text.appendByte(UInt8(ascii: "\""))
        case .deferredToData:
            try encodeByType(data, in: parent, step: step)
        case .custom(let encode):
            try write(data, in: parent, step: step, by: encode)
        }
    }

    /// Encodes a value with the closure of a strategy.
    private func write<T>(
        _ value: T, in parent: Int, step: Int, by body: (T, any Encoder) throws -> Void
    ) throws {
        let record = newRecord(in: parent, step: step)
        try encode(value, record) { try body(value, $0) }
        endValue(record)
    }

    func append(_ value: Decimal, in parent: Int, step: Int) throws {
        guard value.isFinite else { throw notFinite(value, at: path(parent, step)) }
        text.appendPlain(value.description)
    }
}
