// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// Parses a response and matches it with descriptors, or throws the error that it represents.
///
/// A response is checked in this order: status, content type, completeness of the body, syntax of
/// the body, descriptors. The status comes first because it matters more than a failure to receive
/// the body.
struct ResponseReader: Sendable {
    let descriptors: DescriptorSelection
    let baseURL: HTTPURL
    let formats: FormatSelection

    /// The maximum number of bytes that a `Content-Length` reserves before the body arrives.
    private static let maximumReservedByteCount = 16 << 20

    /// Receives the body and reads the response.
    ///
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    func read(_ response: TransportResponse) async throws -> ObjectResponse {
        let contentLength = response.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        let reserved = min(max(contentLength, 0), Self.maximumReservedByteCount)
        var body = BodyBuffer(expecting: reserved)
        var failure: TransportError?
        do {
            for try await chunk in response.body {
                body.append(chunk)
            }
        } catch let error as TransportError {
            failure = error
        }
        try Task.checkCancellation()
        return try read(response, body: body, failure: failure)
    }

    /// Reads a response whose body has been received.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - body: The received bytes of the body.
    ///   - failure: The error that ended the body; `nil` if the body is complete.
    /// - Returns: The response with its matches.
    /// - Throws: ``NetworkingError``.
    func read(
        _ response: TransportResponse, body: consuming BodyBuffer, failure: TransportError? = nil
    ) throws(NetworkingError) -> ObjectResponse {
        let isBlank = body.isBlank
        let received = ObjectResponse(
            response, bodyPrefix: body.prefix(NetworkingError.maximumBodyByteCount))
        switch response.status.code {
        case 200...299: break
        case 300...399 where hasDescriptor(for: received, namingStatus: true): break
        default: throw statusError(received, body, failure)
        }
        if isBlank || response.request.method == .head {
            if let failure { throw incomplete(received, failure) }
            return received
        }
        let document: Document
        switch formats.selection(for: response.head) {
        case .unsupported(let cause):
            throw received.error(
                .unexpectedContentType, stage: .response, causes: [cause], underlying: failure)
        case .format(let format):
            if let failure { throw incomplete(received, failure) }
            do throws(DocumentError) {
                document = try formats.document(from: body, in: format)
            } catch {
                throw received.error(
                    .malformedBody, stage: .parsing, path: error.path, underlying: error)
            }
        }
        switch match(document, of: received) {
        case .matches(let matches):
            return ObjectResponse(
                response, document: document, matches: matches, bodyPrefix: received.bodyPrefix)
        case .noMatch(let causes):
            throw received.error(.noMatchingDescriptor, stage: .selection, causes: causes)
        }
    }

    private func incomplete(
        _ response: ObjectResponse, _ failure: TransportError
    ) -> NetworkingError {
        response.error(.transportFailed, stage: .transport, underlying: failure)
    }

    private func match(
        _ document: Document, of response: ObjectResponse
    ) -> DescriptorSelection.Outcome {
        descriptors.match(
            document, at: RequestedLocation(url: response.url, baseURL: baseURL),
            method: response.request.method, status: response.head.status.code)
    }

    /// Returns a Boolean value that indicates whether a descriptor is for the response's status.
    ///
    /// If `namingStatus` is true, descriptors for all statuses are ignored.
    private func hasDescriptor(for response: ObjectResponse, namingStatus: Bool = false) -> Bool {
        let location = RequestedLocation(url: response.url, baseURL: baseURL)
        return descriptors.hasDescriptor(
            at: location, method: response.request.method, status: response.head.status.code,
            namingStatus: namingStatus)
    }

    /// Returns the statuses to list in an error message: those that the descriptors for the
    /// response's URL name, or all of success.
    private func expectedStatuses(of response: ObjectResponse) -> StatusCodeSet {
        let location = RequestedLocation(url: response.url, baseURL: baseURL)
        let all = descriptors.descriptors.descriptors
        let named = all.flatMap { descriptor -> [ClosedRange<Int>] in
            guard descriptor.matches(method: response.request.method),
                descriptor.matches(location)
            else { return [] }
            return descriptor.statusCodes?.ranges ?? []
        }
        let expected = named.filter { $0.overlaps(200...399) }.map { $0.clamped(to: 200...399) }
        return expected.isEmpty ? .successful : StatusCodeSet(expected)
    }
}

// MARK: - Errors of the server

extension ResponseReader {
    /// Returns the error of a response with an unexpected status.
    ///
    /// The body is mapped into the error's `mappedErrors` if descriptors match it. A body that
    /// cannot be read only adds to the causes, because the status matters more.
    private func statusError(
        _ response: ObjectResponse, _ body: consuming BodyBuffer, _ failure: TransportError?
    ) -> NetworkingError {
        let expected = expectedStatuses(of: response)
        var statusError = response.error(
            .unexpectedStatus, stage: .response,
            causes: ["expected (\(expected)), found \(response.head.status.code)"],
            underlying: failure)
        guard failure == nil, !body.isBlank, hasDescriptor(for: response) else {
            return statusError
        }
        let format: any DocumentFormat
        switch formats.selection(for: response.head) {
        case .unsupported(let cause):
            statusError.causes.append(cause)
            return statusError
        case .format(let selected):
            format = selected
        }
        do {
            let document = try formats.document(from: body, in: format)
            switch match(document, of: response) {
            case .matches(let matches):
                var report = MappingReport()
                for match in matches {
                    statusError.mappedErrors += try match.plan
                        .anyObjects(
                            from: match.representation, in: match.environment, report: &report
                        )
                        .compactMap { $0 as? any Error }
                }
            case .noMatch(let causes):
                statusError.causes += causes
            }
        } catch {
            statusError.underlying = error
        }
        if !statusError.mappedErrors.isEmpty { statusError.code = .errorResponse }
        return statusError
    }
}
