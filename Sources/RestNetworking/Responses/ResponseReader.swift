// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// Turns a received response into a document with matches, or into the error it is.
///
/// Judged in this order: status, content type, whether the body is complete, body, descriptors. A
/// status says more than what happened to the body behind it.
struct ResponseReader: Sendable {
    let selection: DescriptorSelection
    let baseURL: HTTPURL
    let format: ResponseFormat

    /// How much room a body gets because it says it is long.
    private static let maximumRoomInAdvance = 16 << 20

    /// Receives the body and reads the response.
    ///
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    func read(_ response: TransportResponse) async throws -> ObjectResponse {
        let announced = response.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        var body = BodyBuffer(expecting: min(max(announced, 0), Self.maximumRoomInAdvance))
        var failure: TransportError?
        do {
            for try await chunk in response.body {
                body.append(chunk)
            }
        } catch let error as TransportError {
            failure = error
        }
        try Task.checkCancellation()
        return try read(response.head, of: response.request, body: body, failure: failure)
    }

    /// Reads a response.
    ///
    /// - Parameters:
    ///   - head: Status and header fields.
    ///   - request: The request it answers.
    ///   - body: The body, as far as it came.
    ///   - failure: Why the body is not complete; `nil` when it is.
    /// - Returns: The response with its matches.
    /// - Throws: ``NetworkingError``.
    func read(
        _ head: HTTPResponse, of request: TransportRequest, body: consuming BodyBuffer,
        failure: TransportError? = nil
    ) throws(NetworkingError) -> ObjectResponse {
        let isBlank = body.isBlank
        let received = ObjectResponse(
            request: request, head: head, document: nil, matches: [],
            bodyPrefix: body.prefix(NetworkingError.maximumBodyByteCount))
        switch head.status.code {
        case 200...299: break
        case 300...399 where describesStatus(of: received, byName: true): break
        default: throw refusal(received, body, failure)
        }
        if isBlank || request.method == .head {
            if let failure { throw incomplete(received, failure) }
            return received
        }
        let document: Document
        switch format.choice(for: head) {
        case .mistake(let mistake):
            throw received.error(
                .unexpectedContentType, stage: .response, causes: [mistake], underlying: failure)
        case .format(let choice):
            if let failure { throw incomplete(received, failure) }
            do throws(DocumentError) {
                document = try format.document(of: body, in: choice)
            } catch {
                throw received.error(
                    .malformedBody, stage: .parsing, path: error.path, underlying: error)
            }
        }
        switch finding(in: document, of: received) {
        case .matches(let matches):
            return ObjectResponse(
                request: request, head: head, document: document, matches: matches,
                bodyPrefix: received.bodyPrefix)
        case .nothing(let causes):
            throw received.error(.noMatchingDescriptor, stage: .selection, causes: causes)
        }
    }

    private func incomplete(
        _ response: ObjectResponse, _ failure: TransportError
    ) -> NetworkingError {
        response.error(.transportFailed, stage: .transport, underlying: failure)
    }

    private func finding(
        in document: Document, of response: ObjectResponse
    ) -> DescriptorSelection.Finding {
        selection.finding(
            in: document, at: ExchangePlace(url: response.url, base: baseURL),
            method: response.request.method, status: response.head.status.code)
    }

    /// Whether a descriptor is for the response's status; one for all statuses does not name any.
    private func describesStatus(of response: ObjectResponse, byName: Bool = false) -> Bool {
        let place = ExchangePlace(url: response.url, base: baseURL)
        let (method, status) = (response.request.method, response.head.status.code)
        return selection.descriptors.contains { descriptor in
            (!byName || descriptor.statusCodes != nil)
                && descriptor.mismatch(of: place, method: method, status: status) == nil
        }
    }

    /// The statuses that are no errors here, for messages: those that descriptors for the place
    /// name, or all of success.
    private func acceptedStatuses(of response: ObjectResponse) -> StatusCodeSet {
        let place = ExchangePlace(url: response.url, base: baseURL)
        let named = selection.descriptors.flatMap { descriptor -> [ClosedRange<Int>] in
            guard descriptor.matches(method: response.request.method),
                descriptor.mismatch(of: place) == nil
            else { return [] }
            return descriptor.statusCodes?.ranges ?? []
        }
        let accepted = named.filter { $0.overlaps(200...399) }.map { $0.clamped(to: 200...399) }
        return accepted.isEmpty ? .successful : StatusCodeSet(accepted)
    }
}

// MARK: - Errors of the server

extension ResponseReader {
    /// The error that a response with an unwanted status is.
    ///
    /// The status says more than anything wrong with the body, so a body that cannot be read only
    /// adds to the causes.
    private func refusal(
        _ response: ObjectResponse, _ body: consuming BodyBuffer, _ failure: TransportError?
    ) -> NetworkingError {
        let expected = acceptedStatuses(of: response)
        var refusal = response.error(
            .unexpectedStatus, stage: .response,
            causes: ["expected (\(expected)), found \(response.head.status.code)"],
            underlying: failure)
        guard failure == nil, !body.isBlank, describesStatus(of: response) else { return refusal }
        let choice: any DocumentFormat
        switch format.choice(for: response.head) {
        case .mistake(let mistake):
            refusal.causes.append(mistake)
            return refusal
        case .format(let format):
            choice = format
        }
        do {
            let document = try format.document(of: body, in: choice)
            switch finding(in: document, of: response) {
            case .matches(let matches):
                var report = MappingReport()
                for match in matches {
                    refusal.mappedErrors += try match.plan
                        .anyObjects(
                            from: match.representation, in: match.environment, report: &report
                        )
                        .compactMap { $0 as? any Error }
                }
            case .nothing(let causes):
                refusal.causes += causes
            }
        } catch {
            refusal.underlying = error
        }
        if !refusal.mappedErrors.isEmpty { refusal.code = .errorResponse }
        return refusal
    }
}
