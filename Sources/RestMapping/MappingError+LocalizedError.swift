// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MappingError: LocalizedError {
    /// A sentence with the kind of the error, the mapping and the problems, in English.
    public var errorDescription: String? {
        let problems = issue.map { [$0.problem] } ?? diagnostics.map(\.description) + details
        let reason = problems.isEmpty ? "" : ": " + problems.joined(separator: "; ")
        return "\(sentence)\(reason)."
    }

    private var sentence: String {
        let name = mapping.isEmpty ? "" : " \(mapping)"
        return switch code {
        case .invalidMapping: "The mapping\(name) is invalid"
        case .invalidSource: "The source path is invalid"
        case .invalidObject: "An object of the mapping\(name) cannot be mapped"
        case .validationFailed: "A value of the mapping\(name) was rejected by its validation"
        case .wrongSubject: "The mapping\(name) is for objects of another type"
        case .notFound: "The document has nothing to map for the mapping\(name)"
        case .undeterminedMapping: "The dynamic mapping\(name) has no mapping for an object"
        case .cancelled: "Mapping was cancelled"
        case .invalidDateFormat: "The date format\(name) has an unknown symbol"
        case .unknownProperty: "The type\(name) has no property of that name"
        default: "The mapping\(name) failed (\(code))"
        }
    }
}
