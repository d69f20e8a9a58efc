// SPDX-License-Identifier: Apache-2.0

/// The reason for a part of an inferred definition.
public struct Evidence: Sendable, Hashable, CustomStringConvertible {
    /// The certainty of an inference.
    public enum Confidence: String, Sendable, Hashable, CaseIterable {
        /// Every observed value agrees, and there are enough of them.
        case certain
        /// Every observed value agrees.
        case likely
        /// Names or a few values suggest it.
        case guess
    }

    /// The certainty of the inference.
    public var confidence: Confidence
    /// The observation, such as `id: unique in 300 of 300`.
    public var text: String

    /// Creates evidence.
    public init(_ confidence: Confidence, _ text: String) {
        self.confidence = confidence
        self.text = text
    }

    /// The observation, with the confidence unless it is certain.
    public var description: String {
        confidence == .certain ? text : "\(confidence.rawValue): \(text)"
    }
}

/// A header field of an observed response.
public struct HeaderField: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a header field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
