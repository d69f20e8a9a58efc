// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DocumentError: LocalizedError {
    /// A sentence with the kind of the error, the location and the expected input, in English.
    public var errorDescription: String? {
        let reason = expected.isEmpty ? "" : ": \(expected)"
        guard hasPosition else { return "\(code.sentence)\(reason)." }
        let value = path.components.isEmpty ? "" : " at \(path.abbreviated),"
        return "\(code.sentence)\(value) in line \(line), column \(column)\(reason)."
    }
}

extension DocumentError.Code {
    /// The beginning of a sentence about an error of this kind.
    fileprivate var sentence: String {
        switch self {
        case .unexpectedEnd: "The document ends too early"
        case .unexpectedByte: "The document has an unexpected character"
        case .invalidNumber: "The document has an invalid number"
        case .invalidString: "The document has a string with an unescaped control character"
        case .invalidEscape: "The document has an invalid escape"
        case .loneSurrogate: "The document has half of a surrogate pair"
        case .invalidUTF8: "The document is not UTF-8"
        case .unsupportedEncoding: "The document is in an unsupported encoding"
        case .trailingContent: "The document continues after its value"
        case .limitExceeded: "The document exceeds a limit"
        case .duplicateKey: "The document repeats a key"
        case .missingArray: "The document has no list where its elements should be"
        case .invalidPath: "The path is invalid"
        case .unwritableValue: "The value cannot be written in this format"
        case .unregisteredFormat: "The format is not registered"
        case .unreadableFile: "The file cannot be read"
        case .notDecodable: "The document does not match the type"
        case .notEncodable: "The value cannot be encoded"
        default: "The document is invalid (\(description))"
        }
    }
}
