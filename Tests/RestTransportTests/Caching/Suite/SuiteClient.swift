// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport

/// The verdict on a published test.
enum SuiteVerdict: Sendable, Equatable, CustomStringConvertible {
    case passed
    /// A check of the test failed.
    case failed(String)
    /// A precondition of the test failed.
    case unprepared(String)
    /// A test that this one depends on did not pass.
    case dependent(on: String)

    var description: String {
        switch self {
        case .passed: "pass"
        case .failed(let reason): "FAIL: \(reason)"
        case .unprepared(let reason): "SETUP: \(reason)"
        case .dependent(let id): "DEPENDENCY: \(id)"
        }
    }
}

/// A runner of one published test with a new cache.
struct SuiteClient {
    private struct Failure: Error {
        var verdict: SuiteVerdict
    }

    let test: SuiteTest
    let server: SuiteServer
    let baseURL: String
    let transport: any HTTPTransport

    /// Runs the test.
    func run() async -> SuiteVerdict {
        let clock = ManualClock()
        let id = UUID().uuidString.lowercased()
        server.configure(id, test.requests, clock: clock)
        do {
            let cache = HTTPCache(returnsGatewayTimeout: true)
            var client = try HTTPClient(baseURL: baseURL, transport: transport)
            client.cache = cache
            client.clock = clock
            client.redirects.followsRedirects = false
            client.limits.totalTimeout = nil
            var responses: [(step: SuiteRequest, response: TransportResponse)] = []
            for (index, step) in test.requests.enumerated() {
                let number = index + 1
                let request = try request(
                    step, number, id, previous: responses.last?.response, client)
                let response = try await response(to: request, step, by: client)
                let body = try await response.collect()
                try check(response, body, step, number, id)
                responses.append((step, response))
                await cache.waitForBackgroundValidations()
                if step.pausesAfter { clock.advance(by: .seconds(3)) }
            }
            try checkServer(server.exchanges(of: id), responses)
            return .passed
        } catch let failure as Failure {
            return failure.verdict
        } catch {
            return .failed("\(error)")
        }
    }

    private func response(
        to request: TransportRequest, _ step: SuiteRequest, by client: HTTPClient
    ) async throws -> TransportResponse {
        do {
            return try await client.send(request)
        } catch let error as TransportError {
            throw Failure(
                verdict: step.isSetup ? .unprepared("\(error.code)") : .failed("\(error.code)"))
        }
    }

    private func request(
        _ step: SuiteRequest, _ number: Int, _ id: String, previous: TransportResponse?,
        _ client: HTTPClient
    ) throws -> TransportRequest {
        var path = "test/\(id)"
        if let filename = step.filename { path += "/\(filename)" }
        if let query = step.query { path += "?\(query)" }
        var fields = HTTPFields()
        for field in step.headers {
            guard let name = HTTPField.Name(field.name) else { continue }
            var value = SuiteServer.text(of: field, step, at: Date(), base: "")
            if step.hasRelativeDate, case .number(let seconds) = field.value,
                let now = previous?.text("server-now").flatMap({ Double($0) })
            {
                value = HTTPDate.format(
                    Date(timeIntervalSince1970: now / 1000 + TimeInterval(seconds)))
            }
            fields.append(HTTPField(name: name, value: value))
        }
        try fields.set(id, for: "Test-ID")
        try fields.set("\(number)", for: "Req-Num")
        var request = try client.request(
            HTTPRequest.Method(checking: step.method), at: path, headerFields: fields,
            body: step.body.map { .bytes(Array($0.utf8)) } ?? .empty)
        switch step.cacheHint {
        case "no-cache": request.cachePolicy = .revalidate
        case "no-store", "reload": request.cachePolicy = .ignore
        case "force-cache": request.cachePolicy = .cacheFirst
        case "only-if-cached": request.cachePolicy = .cacheOnly
        default: break
        }
        return request
    }

    private func fail(_ reason: String, _ step: SuiteRequest, _ check: String) -> Failure {
        let isSetup = step.isSetup || step.setupChecks.contains(check)
        return Failure(verdict: isSetup ? .unprepared(reason) : .failed(reason))
    }

    private func setupFailure(_ reason: String) -> Failure {
        Failure(verdict: .unprepared(reason))
    }

    private func check(
        _ response: TransportResponse, _ body: [UInt8], _ step: SuiteRequest, _ number: Int,
        _ id: String
    ) throws {
        let numbers = response.text("request-numbers")?.split(separator: " ") ?? []
        if Set(numbers).count != numbers.count {
            throw setupFailure("request \(number) was repeated")
        }
        let count = response.text("client-request-count").flatMap { Int($0) }
        let status = response.status.code
        switch step.expectedType {
        case .cached where !(status == 304 && count == nil) && (count ?? number) >= number:
            throw fail("response \(number) does not come from the cache", step, "expected_type")
        case .notCached where count != number:
            throw fail("response \(number) comes from the cache", step, "expected_type")
        default: break
        }
        if let expected = step.expectedStatus {
            if status != expected {
                throw fail("response \(number) has \(status)", step, "expected_status")
            }
        } else if !step.acceptsAnyStatus {
            let expected = step.responseStatus ?? 200
            if status == 999 {
                throw fail("request \(number) had no condition", step, "expected_type")
            }
            if status != expected { throw setupFailure("response \(number) has \(status)") }
        }
        for field in step.expectedResponseHeaders {
            try checkPresence(of: field, response, step, number)
        }
        for field in step.missingResponseHeaders {
            guard let value = response.text(field.name) else { continue }
            if case .text(let text) = field.value, !value.contains(text) { continue }
            throw fail(
                "response \(number) has \(field.name)", step, "expected_response_headers_missing")
        }
        guard step.checksBody, status != 204, status != 304, step.method != "HEAD" else { return }
        let text = String(decoding: body, as: UTF8.self)
        if step.expectsNoText { return }
        if let expected = step.expectedText {
            if text != expected {
                throw fail("response \(number) has body \(text)", step, "expected_response_text")
            }
        } else if text != step.responseBody ?? id {
            throw setupFailure("response \(number) has body \(text)")
        }
    }

    private func checkPresence(
        of field: SuiteField, _ response: TransportResponse, _ step: SuiteRequest, _ number: Int
    ) throws {
        let value = response.text(field.name)
        let isMet: Bool
        switch (field.comparison, field.value) {
        case ("=", .text(let other)?): isMet = value != nil && value == response.text(other)
        case (">", .number(let limit)?):
            isMet = value.flatMap { Int($0) }.map { $0 > limit } == true
        case (_, nil): isMet = value != nil
        default:
            let now = response.text("server-now").flatMap { Double($0) } ?? 0
            let date = Date(timeIntervalSince1970: now / 1000)
            let base = response.text("server-base-url") ?? ""
            isMet = value == SuiteServer.text(of: field, step, at: date, base: base)
        }
        if !isMet {
            throw fail(
                "response \(number) has \(field.name) \(value ?? "missing")", step,
                "expected_response_headers")
        }
    }

    /// Compares the requests that the server received with the expected ones.
    private func checkServer(
        _ exchanges: [SuiteServer.Exchange],
        _ responses: [(step: SuiteRequest, response: TransportResponse)]
    ) throws {
        for (index, (step, response)) in responses.enumerated() where step.expectedType != .cached {
            guard let exchange = exchanges.first(where: { $0.number == index + 1 }) else {
                continue
            }
            let headers = exchange.requestHeaders
            let validator =
                step.expectedType == .validatedByTag ? "if-none-match" : "if-modified-since"
            if step.expectedType?.isValidated == true, headers[validator] == nil {
                throw fail("request \(index + 1) had no \(validator)", step, "expected_type")
            }
            for field in step.expectedRequestHeaders {
                let value = headers[field.name.lowercased()]
                if case .text(let text) = field.value, value == text { continue }
                if field.value == nil, value != nil { continue }
                throw fail(
                    "request \(index + 1) had \(field.name) \(value ?? "missing")", step,
                    "expected_request_headers")
            }
            for field in step.missingRequestHeaders where headers[field.name.lowercased()] != nil {
                throw fail(
                    "request \(index + 1) had \(field.name)", step,
                    "expected_request_headers_missing")
            }
            if let method = step.expectedMethod, method != exchange.method {
                throw fail("request \(index + 1) was \(exchange.method)", step, "expected_method")
            }
            for name in Set(exchange.notedHeaders.map(\.name)) where name != "date" {
                let sent = exchange.notedHeaders.filter { $0.name == name }.map(\.value)
                if response.text(name) != sent.joined(separator: ", ") {
                    throw setupFailure("response \(index + 1) has another \(name)")
                }
            }
        }
    }
}

extension TransportResponse {
    /// Returns the value of a field, with several lines joined.
    fileprivate func text(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headerFields[$0] }
    }
}
