// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NetworkingError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line with code, stage, request, status, document path and causes.
    ///
    /// It contains nothing that the server sent, and is safe to log.
    public var description: String {
        var text = "\(code) at \(stage.rawValue)"
        if let method {
            text += " of \(method)"
            if let url { text += " \(url)" }
        }
        if let status { text += ", status \(status)" }
        if let path, !path.components.isEmpty { text += ", at \(path.abbreviated)" }
        if !causes.isEmpty { text += ": " + causes.joined(separator: "; ") }
        if let underlying { text += " (\(underlying))" }
        return text
    }

    /// The ``description``, which is safe to log: collections and optionals print this text.
    public var debugDescription: String { description }

    /// The ``description``, followed by the mapped errors and the beginning of the body.
    ///
    /// It contains what the server sent, and does not belong in a log. At most 1 KiB of the body is
    /// included; bytes that are not UTF-8 and control characters are replaced.
    public var descriptionWithBody: String {
        var text = description
        for error in mappedErrors { text += "\nserver: \(String(reflecting: error))" }
        guard !body.isEmpty else { return text }
        let beginning = String(decoding: body.prefix(Self.describedBodyByteCount), as: UTF8.self)
        let printable = String(
            String.UnicodeScalarView(
                beginning.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
                    return isControl || scalar.value == 0x7F ? "\u{FFFD}" : scalar
                }))
        text += "\nbody: \(printable)"
        if body.count > Self.describedBodyByteCount { text += " …" }
        return text
    }

    /// The maximum number of bytes of the body in ``descriptionWithBody``.
    private static let describedBodyByteCount = 1024
}

extension NetworkingError: LocalizedError {
    /// A text for people: the server's own messages if the response was mapped to errors, or else the
    /// reason in one sentence.
    ///
    /// The messages of several mapped errors are joined by commas. A mapped error has a message if its
    /// type conforms to `LocalizedError` or to `CustomStringConvertible`.
    public var errorDescription: String? {
        let messages = mappedErrors.compactMap { Self.message(of: $0) }.filter { !$0.isEmpty }
        if !messages.isEmpty { return messages.joined(separator: ", ") }
        let request = [method, url].compactMap(\.self).joined(separator: " ")
        let suffix = request.isEmpty ? "" : " (\(request))"
        return "\(reason).\(suffix)"
    }

    /// The details, if there are any: the causes, one line each.
    public var failureReason: String? {
        causes.isEmpty ? nil : causes.joined(separator: "\n")
    }

    /// Returns the message of an error; `nil` if its type has none, whose text would be a list of its
    /// properties.
    private static func message(of error: any Error) -> String? {
        (error as? any LocalizedError)?.errorDescription
            ?? (error as? any CustomStringConvertible)?.description
    }

    private static func text(of error: any Error) -> String {
        message(of: error) ?? "\(error)"
    }

    /// Returns the reason of a transport error, which does not repeat the request, as a sentence.
    private static func reason(of error: any Error) -> String {
        guard let error = error as? TransportError else { return text(of: error) }
        return error.reason.prefix(1).uppercased() + error.reason.dropFirst()
    }

    private var reason: String {
        switch code {
        case .invalidConfiguration: "The configuration of the object manager is invalid"
        case .invalidRequest: "The request cannot be created"
        case .transportFailed: underlying.map(Self.reason) ?? "The request failed"
        case .unexpectedStatus, .errorResponse:
            "The server answered with status \(status.map(String.init) ?? "unknown")"
        case .unexpectedContentType: "The server's response has an unexpected content type"
        case .emptyResponse: "The server's response is empty"
        case .malformedBody: "The server's response is not well-formed"
        case .noMatchingDescriptor: "No descriptor matches"
        case .noMatchingRoute: "There is no route for the request"
        case .duplicateRoute: "A route of the object manager is declared twice"
        case .mappingFailed: "The server's response cannot be mapped"
        case .mappingDeclined: "The server's response was declined"
        case .crossOrigin: "The URL has another origin than the base URL"
        case .endlessPagination: "The pages of the list do not end"
        case .pageUnavailable: "The page of the list is not known"
        case .loadInProgress: "A page of the list is being loaded"
        case .cancelled: "The request was cancelled"
        case .valueTaken: "The value of the request was taken before"
        default: "\(code)"
        }
    }
}
