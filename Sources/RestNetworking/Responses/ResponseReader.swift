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
    /// The URL that was asked for; a redirect does not change it.
    let location: RequestedLocation
    let formats: FormatSelection
    /// A Boolean value that indicates whether the body of a successful response is not read.
    var ignoresBody = false
    /// A Boolean value that indicates whether errors in a response of success are values like others.
    var returnsErrors = false
    /// See ``AssembledRequest/acceptedStatusCodes``.
    var acceptedStatusCodes: StatusCodeSet = []
    /// See ``ObjectRequest/keepsResponseBody``.
    var keepsBody = false
    /// See ``AssembledRequest/ignoresUnreadableBody``.
    var ignoresUnreadableBody = false
    /// See ``AssembledRequest/located``.
    var located: LocatedObject?
    /// See ``ObjectRequest/willMapDocument``.
    var willMapDocument: (@Sendable (Document) throws -> Document?)?
    /// Completes the matches of a document before they are mapped.
    var prepare: @Sendable ([ResponseMatch], ObjectResponse) -> [ResponseMatch] = { matches, _ in
        matches
    }

    /// The maximum number of bytes that a `Content-Length` reserves before the body arrives.
    private static let maximumReservedByteCount = 16 << 20

    /// Receives the body and reads the response.
    ///
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    func read(_ response: TransportResponse) async throws -> ObjectResponse {
        let contentLength = response.headerFields.first(.contentLength).flatMap { Int($0) } ?? 0
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
            response, body: keepsBody ? body.prefix(.max) : nil,
            bodyPrefix: body.prefix(NetworkingError.maximumBodyByteCount))
        switch response.status.code {
        case 200...299: break
        case let code where acceptedStatusCodes.contains(code): return received
        case 300...399 where hasDescriptor(for: received, namingStatus: true): break
        default: throw statusError(received, body, failure)
        }
        let isIgnored =
            ignoresBody
            && !descriptors.hasErrors(
                at: location, method: response.request.method, status: response.status.code)
        if isBlank || isIgnored || response.request.method == .head {
            if let failure { throw incomplete(received, failure) }
            return isBlank ? named(by: response, received) ?? received : received
        }
        if ignoresBody, let failure { throw incomplete(received, failure) }
        do throws(NetworkingError) {
            return try parsed(response, received, body: body, failure: failure)
        } catch {
            guard ignoresUnreadableBody || ignoresBody, Self.unreadable.contains(error.code)
            else { throw error }
            return received
        }
    }

    /// Returns a response with the identity of the object that its header names; `nil` if it names none.
    private func named(
        by response: TransportResponse, _ received: ObjectResponse
    ) -> ObjectResponse? {
        guard let located,
            let representation = located.representation(in: response, baseURL: location.baseURL)
        else { return nil }
        let candidates = descriptors.candidates(
            at: location, method: response.request.method, status: response.status.code)
        for descriptor in candidates {
            guard let document = representation.nested(at: descriptor.keyPath),
                case .matches(let matches, _) = match(document, of: received), !matches.isEmpty
            else { continue }
            return ObjectResponse(
                response, document: document, matches: prepare(matches, received),
                body: received.body, bodyPrefix: [])
        }
        return nil
    }

    /// The errors of a body that cannot be parsed or matched.
    private static let unreadable: Set<NetworkingError.Code> = [
        .unexpectedContentType, .malformedBody, .noMatchingDescriptor,
    ]

    /// Parses the body of a response and matches it with the descriptors.
    private func parsed(
        _ response: TransportResponse, _ received: ObjectResponse, body: consuming BodyBuffer,
        failure: TransportError?
    ) throws(NetworkingError) -> ObjectResponse {
        let document: Document
        let beginning = body.prefix(FormatSelection.beginningByteCount)
        switch formats.selection(for: response.head, beginning) {
        case .unsupported(let cause):
            throw received.error(
                .unexpectedContentType, stage: .response, causes: [cause], underlying: failure)
        case .format(let format, let charset):
            if let failure { throw incomplete(received, failure) }
            let parsed: Document
            do throws(DocumentError) {
                parsed = try formats.document(from: body, in: format, charset: charset)
            } catch {
                throw received.error(
                    .malformedBody, stage: .parsing, path: error.path, underlying: error)
            }
            document = try replaced(parsed, of: received)
        }
        if !returnsErrors, let error = errorOfSuccess(in: document, received) { throw error }
        if ignoresBody { return received }
        switch match(document, of: received) {
        case .matches(let matches, let absent):
            return ObjectResponse(
                response, document: document, matches: prepare(matches, received),
                absentDescriptors: absent, body: received.body, bodyPrefix: received.bodyPrefix)
        case .noMatch(let causes):
            throw received.error(.noMatchingDescriptor, stage: .selection, causes: causes)
        }
    }

    /// Returns the document that is mapped in place of the received one.
    func replaced(
        _ document: Document, of response: ObjectResponse
    ) throws(NetworkingError) -> Document {
        guard let willMapDocument else { return document }
        let replacement: Document?
        do {
            replacement = try willMapDocument(document)
        } catch {
            throw response.error(.mappingDeclined, stage: .selection, underlying: error)
        }
        guard let replacement else {
            throw response.error(
                .mappingDeclined, stage: .selection, causes: ["willMapDocument returned nil"])
        }
        let kind = replacement.root.kind
        guard kind == .object || kind == .array || replacement.root == document.root else {
            throw response.error(
                .mappingDeclined, stage: .selection,
                causes: ["willMapDocument returned neither an object nor an array, but \(kind)"])
        }
        return replacement
    }

    private func incomplete(
        _ response: ObjectResponse, _ failure: TransportError
    ) -> NetworkingError {
        response.error(.transportFailed, stage: .transport, underlying: failure)
    }

    func match(
        _ document: Document, of response: ObjectResponse
    ) -> DescriptorSelection.Outcome {
        descriptors.match(
            document, at: location,
            method: response.request.method, status: response.head.status.code)
    }

    /// Returns a Boolean value that indicates whether a descriptor is for the response's status.
    ///
    /// If `namingStatus` is true, descriptors for all statuses are ignored.
    func hasDescriptor(for response: ObjectResponse, namingStatus: Bool = false) -> Bool {
        descriptors.hasDescriptor(
            at: location, method: response.request.method, status: response.head.status.code,
            namingStatus: namingStatus)
    }

    /// Returns the statuses to list in an error message: those that the descriptors for the
    /// response's URL name, or all of success.
    func expectedStatuses(of response: ObjectResponse) -> StatusCodeSet {
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
