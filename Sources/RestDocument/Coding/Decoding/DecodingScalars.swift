// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Values of the standard library's types, read without their own code.

extension DecodingRun {
    @inline(__always)
    func bool(_ index: Int) throws -> Bool {
        switch node(index).kind {
        case .true: return true
        case .false: return false
        default: throw fault(Bool.self, at: index)
        }
    }

    @inline(__always)
    func string(_ index: Int) throws -> String {
        guard index >= 0, let text = view(index).string() else {
            throw fault(String.self, at: index)
        }
        return text
    }

    @inline(__always)
    func whole<Whole: FixedWidthInteger & Decodable>(_ index: Int) throws -> Whole {
        let node = node(index)
        if node.kind == .integer, let value = Whole(exactly: Int64(bitPattern: node.payload)) {
            return value
        }
        return try otherWhole(index)
    }

    /// A number that is not written as one within `Int64`: `1.0`, `1e3` and larger ones.
    @inline(never)
    private func otherWhole<Whole: FixedWidthInteger & Decodable>(_ index: Int) throws -> Whole {
        if node(index).kind.isNumber, let value = DecimalText(view(index)).whole(Whole.self) {
            return value
        }
        throw fault(Whole.self, at: index)
    }

    @inline(__always)
    func double(_ index: Int) throws -> Double {
        let node = node(index)
        if node.kind == .double { return Double(bitPattern: node.payload) }
        if node.kind == .integer { return Double(Int64(bitPattern: node.payload)) }
        return try otherDouble(index)
    }

    @inline(never)
    private func otherDouble(_ index: Int) throws -> Double {
        if index >= 0, let value = view(index).double { return value }
        return try nonConforming(Double.self, index)
    }

    @inline(never)
    func float(_ index: Int) throws -> Float {
        if index >= 0, let value = view(index).float { return value }
        return try nonConforming(Float.self, index)
    }

    private func nonConforming<F: BinaryFloatingPoint & Decodable>(
        _ type: F.Type, _ index: Int
    ) throws -> F {
        if case .convertFromString(let positive, let negative, let nan) =
            decoder.nonConformingFloatDecodingStrategy, node(index).kind.isString
        {
            switch view(index).string() {
            case positive: return .infinity
            case negative: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw fault(type, at: index)
    }
}

// MARK: - Types of Foundation

extension DecodingRun {
    func date(_ index: Int, depth: Int) throws -> Date {
        switch decoder.dateDecodingStrategy {
        case .iso8601:
            if let date = isoDate(index) { return date }
            throw fault(Date.self, at: index, accepts: .string)
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try double(index))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try double(index) / 1000)
        case .deferredToDate:
            return try plainValue(Date.self, at: index, depth: depth)
        case .custom(let make):
            return try made(at: index, depth: depth, by: make)
        }
    }

    private func isoDate(_ index: Int) -> Date? {
        guard node(index).kind.isString else { return nil }
        return view(index).civilDate.map { Date(timeIntervalSince1970: $0.secondsSince1970) }
    }

    func data(_ index: Int, depth: Int) throws -> Data {
        switch decoder.dataDecodingStrategy {
        case .base64:
            let data = index < 0 ? nil : view(index).string().flatMap { Data(base64Encoded: $0) }
            if let data { return data }
            throw fault(Data.self, at: index, accepts: .string)
        case .deferredToData:
            return try plainValue(Data.self, at: index, depth: depth)
        case .custom(let make):
            return try made(at: index, depth: depth, by: make)
        }
    }

    /// What a strategy's closure makes of a value.
    private func made<T>(
        at index: Int, depth: Int, by make: (any Decoder) throws -> T
    ) throws -> T {
        failure = -1
        do {
            return try make(ValueDecoder(self, index, depth))
        } catch {
            if failure < 0 { failure = index }
            throw error
        }
    }

    func url(_ index: Int) throws -> URL {
        let url = index < 0 ? nil : view(index).string().flatMap { URL(string: $0) }
        if let url { return url }
        throw fault(URL.self, at: index, accepts: .string)
    }

    func uuid(_ index: Int) throws -> UUID {
        let uuid = index < 0 ? nil : view(index).string().flatMap { UUID(uuidString: $0) }
        if let uuid { return uuid }
        throw fault(UUID.self, at: index, accepts: .string)
    }

    func decimal(_ index: Int) throws -> Decimal {
        if index >= 0, let value = view(index).decimal { return value }
        throw fault(Decimal.self, at: index)
    }
}
