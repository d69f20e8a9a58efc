// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1

/// A channel handler that closes a connection on an invalid status code, on too many interim
/// responses, or after a response whose framing is faulty, and that delivers the head of a refusal
/// together with what follows it.
///
/// AsyncHTTPClient treats every status below 200 as an interim response, and traps on a body that
/// follows an invalid one. While a request is incomplete, it also loses the end of a refusal without a
/// body if it has processed the head before.
final class ResponseHeadValidator: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The reason why a response head is rejected.
    enum Rejection: Error {
        case invalidStatus
        case tooManyInterimResponses
    }

    /// The maximum number of interim responses before a final one.
    private static let interimLimit = 64

    private var interimCount = 0
    private var hasRejected = false
    private var isRequestComplete = true

    /// The head of a refusal until the next part of the response arrives.
    private var heldHead: HTTPResponseHead?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: isRequestComplete = false
        case .body: break
        case .end: isRequestComplete = true
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRejected else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            forwardHeldHead(context: context)
            context.fireChannelRead(data)
            return
        }
        if head.hasFaultyFraming { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if let rejection = rejection(of: head.status.code) {
            hasRejected = true
            context.fireErrorCaught(rejection)
            context.close(promise: nil)
        } else if head.status.code >= 300, !isRequestComplete {
            heldHead = head
        } else {
            context.fireChannelRead(wrapInboundOut(.head(head)))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        forwardHeldHead(context: context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        forwardHeldHead(context: context)
        context.fireErrorCaught(error)
    }

    private func forwardHeldHead(context: ChannelHandlerContext) {
        guard let head = heldHead.take() else { return }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func rejection(of status: UInt) -> Rejection? {
        switch status {
        // AsyncHTTPClient delivers 101 as a final response, although no upgrade was requested.
        case 100, 102..<200:
            interimCount += 1
            return interimCount > Self.interimLimit ? .tooManyInterimResponses : nil
        case 101, 200...999:
            interimCount = 0
            return nil
        default:
            return .invalidStatus
        }
    }
}

extension HTTPResponseHead {
    /// A Boolean value that indicates whether a transfer coding occurs together with a length, or in
    /// HTTP/1.0, after which the connection is closed.
    ///
    /// - Source: RFC 9112 §6.1, §6.3.
    fileprivate var hasFaultyFraming: Bool {
        headers.contains(name: "Transfer-Encoding")
            && (version == .http1_0 || headers.contains(name: "Content-Length"))
    }
}
#endif
