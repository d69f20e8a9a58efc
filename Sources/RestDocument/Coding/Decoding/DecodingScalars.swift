// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Values of standard library types, decoded without their own `init(from:)`.

extension DecodingSession {
    @inline(__always)
    func bool(_ index: Int) throws -> Bool {
        switch node(index).kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, at: index)
        }
    }

    @inline(__always)
    func string(_ index: Int) throws -> String {
        guard index >= 0, let text = view(index).string() else {
            throw mismatch(String.self, at: index)
        }
        return text
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger & Decodable>(_ index: Int) throws -> Integer {
        let node = node(index)
        if node.kind == .integer, let value = Integer(exactly: Int64(bitPattern: node.payload)) {
            return value
        }
        return try integerFromText(index)
    }

    /// Decodes an integer that is not written as one within `Int64`: `1.0`, `1e3` and larger ones.
    @inline(never)
    private func integerFromText<Integer: FixedWidthInteger & Decodable>(_ index: Int) throws
        -> Integer
    {
        if node(index).kind.isNumber,
            let value = ExactDecimal(view(index)).integer(as: Integer.self)
        {
            return value
        }
        throw mismatch(Integer.self, at: index)
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
        throw mismatch(type, at: index)
    }
}

// MARK: - Types of Foundation

extension DecodingSession {
    func date(_ index: Int, depth: Int) throws -> Date {
        switch decoder.dateDecodingStrategy {
        case .iso8601:
            if let date = isoDate(index) { return date }
            throw mismatch(Date.self, at: index, accepts: .string)
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try double(index))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try double(index) / 1000)
        case .deferredToDate:
            return try decodeByType(Date.self, at: index, depth: depth)
        case .custom(let make):
            return try decode(at: index, depth: depth, using: make)
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
            throw mismatch(Data.self, at: index, accepts: .string)
        case .deferredToData:
            return try decodeByType(Data.self, at: index, depth: depth)
        case .custom(let make):
            return try decode(at: index, depth: depth, using: make)
        }
    }

    /// Decodes a value with the closure of a strategy.
    private func decode<T>(
        at index: Int, depth: Int, using decode: (any Decoder) throws -> T
    ) throws -> T {
        failure = -1
        do {
            return try decode(ValueDecoder(self, index, depth))
        } catch {
            if failure < 0 { failure = index }
            throw error
        }
    }

    func url(_ index: Int) throws -> URL {
        let url = index < 0 ? nil : view(index).string().flatMap { URL(string: $0) }
        if let url { return url }
        throw mismatch(URL.self, at: index, accepts: .string)
    }

    func uuid(_ index: Int) throws -> UUID {
        let uuid = index < 0 ? nil : view(index).string().flatMap { UUID(uuidString: $0) }
        if let uuid { return uuid }
        throw mismatch(UUID.self, at: index, accepts: .string)
    }

    func decimal(_ index: Int) throws -> Decimal {
        if index >= 0, let value = view(index).decimal { return value }
        throw mismatch(Decimal.self, at: index)
    }
}
