// SPDX-License-Identifier: Apache-2.0

/// The reason that parsing stopped, without a message: the parser's loop creates no strings.
enum ParseFailure: UInt8 {
    case none
    case value
    case key
    case colon
    case separator
    case number
    case control
    case escape
    case surrogate
    case trailing
    case depth
    case stringLength
    case members
    case nodes
}

extension ParseFailure {
    /// Returns the error code and message for the failure.
    ///
    /// - Parameters:
    ///   - byte: The byte at the failure.
    ///   - isInObject: A Boolean value that indicates whether the innermost open container is an
    ///     object.
    ///   - limits: The limits in force.
    /// - Returns: The error code, and the expected input or the exceeded limit.
    func diagnosis(
        at byte: UInt8, isInObject: Bool, limits: ParseLimits
    ) -> (code: DocumentError.Code, expected: String) {
        switch self {
        case .none, .value:
            (.unexpectedByte, "expected a value")
        case .key:
            (.unexpectedByte, "expected a key in double quotes")
        case .colon:
            (.unexpectedByte, "expected \":\" after the key")
        case .separator:
            (.unexpectedByte, isInObject ? "expected \",\" or \"}\"" : "expected \",\" or \"]\"")
        case .number:
            (
                .invalidNumber,
                byte &- 0x30 < 10 ? "no digit after a leading zero" : "expected a digit"
            )
        case .control:
            (
                .invalidString,
                "expected the string to end or its control characters to be escaped"
            )
        case .escape:
            (.invalidEscape, "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
        case .surrogate:
            (.loneSurrogate, "expected a high surrogate followed by a low one")
        case .trailing:
            (.trailingContent, "expected the end after the value")
        case .depth:
            (.limitExceeded, "at most \(limits.depth) nested containers")
        case .stringLength:
            (.limitExceeded, "at most \(limits.stringByteCount) bytes in a string")
        case .members:
            (.limitExceeded, "at most \(limits.memberCount) members in an object")
        case .nodes:
            (.limitExceeded, "at most \(limits.nodeCount) values and keys")
        }
    }
}

extension ParseLimits {
    /// The maximum capacity of a tape, in nodes.
    ///
    /// It is two more than the node limit, as a value and the key after it are written between two
    /// checks.
    var tapeCapacity: Int { max(min(nodeCount, 0xFFFF_FFFC), 0) + 2 }
}
